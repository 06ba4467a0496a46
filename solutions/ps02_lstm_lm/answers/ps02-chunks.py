# %% right: split
# Written with the chunks cut beforehand, and the state detached as it comes in from the second chunk on.


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


# %% right: while
# Written with a loop that eats up the text; the gradients are cleared behind each step and at the start.


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


# %% wrong: as it was
# The colleague's loop.
# Message: The short rest at the end of the text is a chunk, too


def train_pass(model, optimizer, tokens, size, state):
    return broken_pass(model, optimizer, tokens, size, state)


# %% wrong: cell not detached
# Only h is detached; the gradient crosses through c.
# Message: Detach every part of the state


def train_pass(model, optimizer, tokens, size, state):
    losses, last = [], tokens.shape[1] - 1
    for first in range(0, last, size):
        end = min(first + size, last)
        loss, state = model(tokens[:, first:end], tokens[:, first + 1 : end + 1], state)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        state = (state[0].detach(), *state[1:])
        losses.append(loss.item())
    return losses, tuple(part.detach() for part in state)


# %% wrong: cleared behind
# The gradients are cleared behind each step only: what was left before spoils the first one.
# Message: Clear the gradients before the first backward pass, too


def train_pass(model, optimizer, tokens, size, state):
    losses, last = [], tokens.shape[1] - 1
    for first in range(0, last, size):
        end = min(first + size, last)
        loss, state = model(tokens[:, first:end], tokens[:, first + 1 : end + 1], state)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        state = tuple(part.detach() for part in state)
        losses.append(loss.item())
    return losses, state


# %% wrong: gradients add up
# The gradients are never cleared.
# Message: The gradients add up from chunk to chunk


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


# %% wrong: graph retained
# torch's complaint is silenced by keeping the graph, and the gradient still crosses every border.
# Message: Detach every part of the state


def train_pass(model, optimizer, tokens, size, state):
    losses, last = [], tokens.shape[1] - 1
    for first in range(0, last, size):
        end = min(first + size, last)
        loss, state = model(tokens[:, first:end], tokens[:, first + 1 : end + 1], state)
        optimizer.zero_grad()
        loss.backward(retain_graph=True)
        optimizer.step()
        losses.append(loss.item())
    return losses, tuple(part.detach() for part in state)


# %% wrong: history returned
# The last state comes back with its history.
# Message: Detach the state behind the last chunk, too


def train_pass(model, optimizer, tokens, size, state):
    losses, last = [], tokens.shape[1] - 1
    for first in range(0, last, size):
        end = min(first + size, last)
        if first > 0:
            state = tuple(part.detach() for part in state)
        loss, state = model(tokens[:, first:end], tokens[:, first + 1 : end + 1], state)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses, state


# %% wrong: library
# The library cuts the text and detaches the state.
# Message: your answer calls course_lib.recurrent.truncated.truncated_losses


from course_lib.recurrent.truncated import truncated_losses


def train_pass(model, optimizer, tokens, size, state):
    losses, states = [], [state]

    def remembered(inputs, targets, state):
        loss, state = model(inputs, targets, state)
        states.append(state)
        return loss, state

    for loss in truncated_losses(remembered, tokens, size, state):
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses, tuple(part.detach() for part in states[-1])


# %% wrong: losses keep graphs
# The list holds tensors, and with them the graph of every chunk.
# Message: keeps the whole graph of its chunk in memory


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


# %% wrong: not detached
# The gradient crosses every border.
# Message: Detach every part of the state


def train_pass(model, optimizer, tokens, size, state):
    losses, last = [], tokens.shape[1] - 1
    for first in range(0, last, size):
        end = min(first + size, last)
        loss, state = model(tokens[:, first:end], tokens[:, first + 1 : end + 1], state)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses, tuple(part.detach() for part in state)


# %% wrong: one update
# The weights change once, at the end of the text.
# Message: One optimizer.step() for each chunk, not one at the end


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


# %% wrong: overlap
# Each chunk starts one step behind the one before.
# Message: Each step belongs to one chunk; yours overlap


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


# %% wrong: own targets
# The model is asked for what it has just read.
# Message: The targets are the tokens one step later


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


# %% wrong: rest dropped
# Only full chunks are read.
# Message: The short rest at the end of the text is a chunk, too


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


# %% wrong: start again
# The state is set back for each chunk.
# Message: yours all start from the given state


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


# %% wrong: start detached
# The state is detached before each chunk, the given one included.
# Message: detach behind a chunk, not before it


def train_pass(model, optimizer, tokens, size, state):
    losses, last = [], tokens.shape[1] - 1
    for first in range(0, last, size):
        end = min(first + size, last)
        state = tuple(part.detach() for part in state)
        loss, state = model(tokens[:, first:end], tokens[:, first + 1 : end + 1], state)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses, tuple(part.detach() for part in state)


# %% wrong: two parts only
# The state is unpacked as that of an LSTM.
# Message: The state is a tuple of any length


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
