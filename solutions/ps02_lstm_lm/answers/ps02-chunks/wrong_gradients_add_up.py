"""The gradients are never cleared.

Message: The gradients add up from chunk to chunk
"""


def train_pass(model, optimizer, tokens, size, state):
    losses, last = [], tokens.shape[1] - 1
    for first in range(0, last, size):
        end = min(first + size, last)
        loss, state = model(tokens[:, first:end], tokens[:, first + 1 : end + 1], state)
        loss.backward()
        optimizer.step()
        state = tuple(part.detach() for part in state)
        losses.append(loss.item())
    return losses, state
