"""The library's layer is called.

Message: your answer calls course_lib.recurrent
"""

from course_lib.recurrent.gru import GRU, PaperGRU


def gru_step(x, h, W, U, b, d, reset_before):
    layer = (PaperGRU if reset_before else GRU)(x.shape[1], h.shape[1])
    return layer.step(x @ W.T + b + d, (h,))[0]
