"""A small library of sequence models and attention, one readable implementation of each."""
