"""Recurrent networks: language models, counting, memory over time."""
