"""Word vectors, alone and in their sentence."""
