"""The list holds tensors, and with them the graph of every chunk.

Message: keeps the whole graph of its chunk in memory
"""


def train_pass(model, optimizer, tokens, size, state):
    losses, last = [], tokens.shape[1] - 1
    for first in range(0, last, size):
        end = min(first + size, last)
        loss, state = model(tokens[:, first:end], tokens[:, first + 1 : end + 1], state)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        state = tuple(part.detach() for part in state)
        losses.append(loss)
    return losses, state
