"""Captions: written without attention, with soft and with hard attention."""
