"""The weights change once, at the end of the text.

Message: One optimizer.step() for each chunk, not one at the end
"""


def train_pass(model, optimizer, tokens, size, state):
    losses, last = [], tokens.shape[1] - 1
    for first in range(0, last, size):
        end = min(first + size, last)
        loss, state = model(tokens[:, first:end], tokens[:, first + 1 : end + 1], state)
        optimizer.zero_grad()
        loss.backward()
        state = tuple(part.detach() for part in state)
        losses.append(loss.item())
    optimizer.step()
    return losses, state
