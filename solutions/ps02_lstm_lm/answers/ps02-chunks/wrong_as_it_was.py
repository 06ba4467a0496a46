"""The colleague's loop.

Message: The short rest at the end of the text is a chunk, too
"""


def train_pass(model, optimizer, tokens, size, state):
    return broken_pass(model, optimizer, tokens, size, state)
