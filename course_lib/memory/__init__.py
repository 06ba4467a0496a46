"""Memories that are read by content."""
