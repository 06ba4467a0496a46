"""Training: one loop, and what it makes small."""
