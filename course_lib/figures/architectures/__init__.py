"""One function a diagram: the architectures that the lectures introduce."""
