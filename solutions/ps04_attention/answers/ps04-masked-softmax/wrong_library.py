"""The library's own function does the work.

Message: your answer calls course_lib.attention.masks.masked_softmax
"""


def masked_softmax(scores, keep):
    from course_lib.attention import masked_softmax as ready_made

    return ready_made(scores, keep.unsqueeze(1))
