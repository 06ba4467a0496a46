"""Attention beyond translation: what it costs, where it looks, what it is used for."""
