"""Training: batches, one loop, and the recipes of the shipped models."""
