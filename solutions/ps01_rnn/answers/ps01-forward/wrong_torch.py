"""torch's own recurrent network is asked.

Message: your answer calls torch's
"""


def rnn_states(x, h_0, W_xh, W_hh, b):
    layer = torch.nn.RNN(x.shape[2], len(b), batch_first=True, dtype=x.dtype)
    parts = {"weight_ih_l0": W_xh, "weight_hh_l0": W_hh, "bias_ih_l0": b, "bias_hh_l0": torch.zeros_like(b)}
    return torch.func.functional_call(layer, parts, (x, h_0.unsqueeze(0)))[0]
