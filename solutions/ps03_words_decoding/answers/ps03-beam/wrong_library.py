"""The library's search is called.

Message: your answer calls course_lib.decoding
"""


def beam_search(step, state, bos, eos, k, max_length, alpha):
    import course_lib.decoding as library

    penalty = library.LengthPenalty("gnmt", alpha)
    [result] = library.beam_search(step, state, torch.tensor([bos]), eos, max_length, k, penalty)
    return [(list(h.tokens), h.score) for h in result.hypotheses if h.finished], max_length
