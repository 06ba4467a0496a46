"""The library's own function does the work.

Message: your answer calls course_lib.attention.multihead.scaled_dot_product_attention
"""


def attention(query, key, value, keep=None):
    from course_lib.attention.multihead import scaled_dot_product_attention

    return scaled_dot_product_attention(query, key, value, keep)
