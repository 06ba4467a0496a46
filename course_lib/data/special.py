"""The special tokens with which the vocabularies of the course begin."""

PAD, BEGIN, END = range(3)  # their ids
SPECIAL = ("<pad>", "<s>", "</s>")
UNKNOWN = "<unk>"  # in vocabularies of words: every word that they lack
