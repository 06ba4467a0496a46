"""Each chunk starts one step behind the one before.

Message: Each step belongs to one chunk; yours overlap
"""


def train_pass(model, optimizer, tokens, size, state):
    losses = []
    for first in range(tokens.shape[1] - size):
        x, y = tokens[:, first : first + size], tokens[:, first + 1 : first + size + 1]
        loss, state = model(x, y, state)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        state = tuple(part.detach() for part in state)
        losses.append(loss.item())
    return losses, state
