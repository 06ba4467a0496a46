"""torch's own function does the work.

Message: your answer calls torch's scaled_dot_product_attention
"""


def attention(query, key, value, keep=None):
    from torch.nn.functional import scaled_dot_product_attention

    one = torch.eye(key.shape[-2], dtype=value.dtype).expand(*value.shape[:-1], -1)
    context = scaled_dot_product_attention(query, key, value, attn_mask=keep)
    return context, scaled_dot_product_attention(query, key, one, attn_mask=keep)
