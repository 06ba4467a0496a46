"""Written with the chunks cut beforehand, and the state detached as it comes in from the second chunk on."""


def train_pass(model, optimizer, tokens, size, state):
    losses = []
    pairs = list(zip(tokens[:, :-1].split(size, dim=1), tokens[:, 1:].split(size, dim=1), strict=True))
    for k, (x, y) in enumerate(pairs):
        if k > 0:
            state = tuple(part.detach() for part in state)
        optimizer.zero_grad()
        loss, state = model(x, y, state)
        loss.backward()
        optimizer.step()
        losses.append(float(loss))
    return losses, tuple(part.detach() for part in state)
