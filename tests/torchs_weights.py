"""What gives our layers of the Transformer the weights of torch's, to compare the two."""

import torch
from torch import nn

from course_lib.attention.multihead import MultiHeadAttention
from course_lib.seq2seq.transformer_layers import DecoderLayer, EncoderLayer


def copy_attention(ours: MultiHeadAttention, theirs: nn.MultiheadAttention) -> None:
    """Give ours torch's weights."""
    with torch.no_grad():
        for layer, weight, bias in zip(
            (ours.W_Q, ours.W_K, ours.W_V),
            theirs.in_proj_weight.chunk(3),
            theirs.in_proj_bias.chunk(3),
            strict=True,
        ):
            layer.weight.copy_(weight)
            layer.bias.copy_(bias)
    ours.W_O.load_state_dict(theirs.out_proj.state_dict())


def copy_feed_forward(ours: nn.Sequential, theirs: nn.Module) -> None:
    """Give ours torch's weights."""
    ours[0].load_state_dict(theirs.linear1.state_dict())
    ours[3].load_state_dict(theirs.linear2.state_dict())


def copy_encoder_layer(ours: EncoderLayer, theirs: nn.TransformerEncoderLayer) -> None:
    """Give ours torch's weights."""
    copy_attention(ours.self_attention, theirs.self_attn)
    copy_feed_forward(ours.feed_forward, theirs)
    ours.around_attention.norm.load_state_dict(theirs.norm1.state_dict())
    ours.around_feed_forward.norm.load_state_dict(theirs.norm2.state_dict())


def copy_decoder_layer(ours: DecoderLayer, theirs: nn.TransformerDecoderLayer) -> None:
    """Give ours torch's weights."""
    copy_attention(ours.self_attention, theirs.self_attn)
    copy_attention(ours.cross_attention, theirs.multihead_attn)
    copy_feed_forward(ours.feed_forward, theirs)
    ours.around_self.norm.load_state_dict(theirs.norm1.state_dict())
    ours.around_cross.norm.load_state_dict(theirs.norm2.state_dict())
    ours.around_feed_forward.norm.load_state_dict(theirs.norm3.state_dict())


def spread(module: nn.Module) -> None:
    """Draw all parameters anew: norms and biases that are 1 and 0 would hide a mistake."""
    for parameter in module.parameters():
        nn.init.normal_(parameter, std=0.5)
