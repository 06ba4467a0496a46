"""The score is sacrebleu's.

Message: your answer calls sacrebleu
"""


def bleu(hypotheses, references):
    import sacrebleu

    most = max(map(len, references))
    streams = [[" ".join(ks[i]) if i < len(ks) else None for ks in references] for i in range(most)]
    metric = sacrebleu.BLEU(tokenize="none", smooth_method="none", force=True)
    found = metric.corpus_score([" ".join(h) for h in hypotheses], streams)
    return found.score, [p / 100 for p in found.precisions], found.bp
