"""Written with one matrix that has a 2 by 2 rotation for each hand on its diagonal."""


def shift(encoding, k):
    size = encoding.shape[-1]
    blocks = []
    for i in range(size // 2):
        a = k * 10000 ** (-2 * i / size)
        blocks.append(torch.tensor([[math.cos(a), math.sin(a)], [-math.sin(a), math.cos(a)]]).double())
    return (encoding.double() @ torch.block_diag(*blocks).T).to(encoding.dtype)
