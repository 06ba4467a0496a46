"""Written with numpy, by real and imaginary parts."""


def scale_reservoir(W, radius):
    eigenvalues = np.linalg.eigvals(W.numpy())
    now = np.sqrt((eigenvalues.real**2 + eigenvalues.imag**2).max())
    if not now > 0:
        raise ValueError("a spectral radius of 0 cannot be scaled")
    return torch.from_numpy(W.numpy() / now * radius).to(W.dtype)
