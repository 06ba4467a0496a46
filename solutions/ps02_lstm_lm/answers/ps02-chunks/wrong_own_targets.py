"""The model is asked for what it has just read.

Message: The targets are the tokens one step later
"""


def train_pass(model, optimizer, tokens, size, state):
    losses = []
    for x in tokens[:, :-1].split(size, dim=1):
        loss, state = model(x, x, state)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        state = tuple(part.detach() for part in state)
        losses.append(loss.item())
    return losses, state
