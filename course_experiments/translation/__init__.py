"""The translators: their training, the ladder, beams, penalties, alignments."""
