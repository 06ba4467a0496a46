"""Calls the course's own score.

Message: your answer calls course_lib.attention
"""

from course_lib.attention import CosineAttention


def content_weights(s, h, beta):
    scores = torch.stack([CosineAttention().score(s[:, i], h) for i in range(s.shape[1])], dim=1)
    return (beta.unsqueeze(-1) * scores).softmax(dim=-1)
