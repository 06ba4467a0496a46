"""Written with a loop that eats up the text; the gradients are cleared behind each step and at the start."""


def train_pass(model, optimizer, tokens, size, state):
    losses = []
    optimizer.zero_grad()
    while tokens.shape[1] > 1:
        window = tokens[:, : size + 1]
        loss, after = model(window[:, :-1], window[:, 1:], state)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.detach().item())
        state = tuple(part.detach().clone() for part in after)
        tokens = tokens[:, size:]
    return losses, state
