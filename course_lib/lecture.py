"""How every lecture begins."""

PRESETS = ("smoke", "lecture", "full")


def set_up(preset: str, seed: int, threads: int) -> None:
    """Check the preset, say how many threads torch uses, and seed what it draws.

    Args:
        preset: "smoke" (a quick check), "lecture" (as it is taught) or "full" (models are trained again).
        seed: 0 or above.
        threads: 1 or above. One is the safe choice: two on a busy machine are up to ten times slower.

    Raises:
        ValueError: the preset is another one.
    """
    import torch  # here, so that the command line can name the presets without waiting for it

    if preset not in PRESETS:
        raise ValueError(f"PRESET is {preset!r}; allowed are {', '.join(map(repr, PRESETS))}")
    torch.set_num_threads(threads)
    torch.manual_seed(seed)
