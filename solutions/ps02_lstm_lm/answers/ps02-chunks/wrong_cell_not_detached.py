"""Only h is detached; the gradient crosses through c.

Message: Detach every part of the state
"""


def train_pass(model, optimizer, tokens, size, state):
    losses, last = [], tokens.shape[1] - 1
    for first in range(0, last, size):
        end = min(first + size, last)
        loss, state = model(tokens[:, first:end], tokens[:, first + 1 : end + 1], state)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        state = (state[0].detach(), *state[1:])
        losses.append(loss.item())
    return losses, tuple(part.detach() for part in state)
