"""The state is set back for each chunk.

Message: yours all start from the given state
"""


def train_pass(model, optimizer, tokens, size, state):
    losses, last = [], tokens.shape[1] - 1
    for first in range(0, last, size):
        end = min(first + size, last)
        loss, after = model(tokens[:, first:end], tokens[:, first + 1 : end + 1], state)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses, tuple(part.detach() for part in after)
