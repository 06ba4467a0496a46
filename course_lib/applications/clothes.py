"""Two networks that tell clothes apart: the same blocks, with shortcuts and without."""

from pathlib import Path

from course_lib.checkpoints import FOLDER, load_model
from course_lib.vision.residual_stack import ResidualStack

STACK_BLOCKS = 8
SHIPPED = {
    "with": FOLDER / "clothes_with_shortcuts.safetensors",
    "without": FOLDER / "clothes_without_shortcuts.safetensors",
}


def load_clothes_network(path: Path) -> ResidualStack:
    """Load a trained network for clothes, pictures of 28×28 with brightness from 0 to 1.

    Args:
        path: the checkpoint; those that ship with the course are in `SHIPPED`.

    Raises:
        CheckpointError: it is missing or damaged.
    """
    return load_model(path, lambda config: ResidualStack(**config))[0]
