"""The last state comes back with its history.

Message: Detach the state behind the last chunk, too
"""


def train_pass(model, optimizer, tokens, size, state):
    losses, last = [], tokens.shape[1] - 1
    for first in range(0, last, size):
        end = min(first + size, last)
        if first > 0:
            state = tuple(part.detach() for part in state)
        loss, state = model(tokens[:, first:end], tokens[:, first + 1 : end + 1], state)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses, state
