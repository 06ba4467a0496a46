"""The state is unpacked as that of an LSTM.

Message: The state is a tuple of any length
"""


def train_pass(model, optimizer, tokens, size, state):
    losses, last = [], tokens.shape[1] - 1
    h, c = state
    for first in range(0, last, size):
        end = min(first + size, last)
        loss, (h, c) = model(tokens[:, first:end], tokens[:, first + 1 : end + 1], (h, c))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        h, c = h.detach(), c.detach()
        losses.append(loss.item())
    return losses, (h, c)
