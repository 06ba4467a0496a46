"""Only full chunks are read.

Message: The short rest at the end of the text is a chunk, too
"""


def train_pass(model, optimizer, tokens, size, state):
    losses = []
    for first in range(0, tokens.shape[1] - size, size):
        x, y = tokens[:, first : first + size], tokens[:, first + 1 : first + size + 1]
        loss, state = model(x, y, state)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        state = tuple(part.detach() for part in state)
        losses.append(loss.item())
    return losses, state
