"""torch's own cell is called.

Message: your answer calls torch's gru_cell
"""


def gru_step(x, h, W, U, b, d, reset_before):
    return torch.gru_cell(x, h, W, U, b, d)
