"""Measures of texts, alignments and knowledge."""
