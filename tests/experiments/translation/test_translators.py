from course_experiments.translation.translators import bleu_by_length
from course_lib.data import ReferencedSentence


def test_a_contraction_is_two_words():
    said = (
        "We were not there.",  # 5 tokens
        "I don't know.",  # 5: I, don, 't, know and the full stop
        "I don't know Tom's dog.",  # 8
        "Nobody that I know was there.",  # 7
        "Nobody that I know was in the old house.",  # 10
    )
    sentences = [ReferencedSentence(text, (text,)) for text in said]
    counts = {bucket: count for bucket, (_, count) in bleu_by_length(sentences, said).items()}
    assert counts == {"4-5": 2, "6-7": 1, "8-9": 1, "10-12": 1}
