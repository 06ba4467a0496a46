"""Attention to parts of a picture."""
