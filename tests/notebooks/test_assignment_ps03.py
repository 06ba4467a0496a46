"""The model answers of the paper on words and decoding against other code, and what a student reads."""

import re
from collections import Counter
from itertools import product

import numpy as np
import pytest
import sacrebleu
import torch
from assignment import functions, read, run_with_answer
from hypothesis import given, settings
from hypothesis import strategies as st

import course_lib.decoding as library
from course_lib.checks.models import TableModel
from course_lib.data import load_analogies, load_glove, load_tatoeba
from course_lib.text.bpe import SPACE, BytePairEncoding
from course_lib.text.fast_merges import learn_merges
from course_lib.words.similarity import nearest
from course_lib.words.windows import skip_gram_pairs
from course_lib.words.word2vec import Word2Vec

BOS, EOS = 0, 1


@pytest.fixture(scope="module")
def paper():
    """The functions of the solved paper."""
    return functions("ps03_words_decoding")


@pytest.mark.parametrize("reach", [1, 2, 4])
def test_pairs_with_one_reach_are_the_librarys(paper, reach):
    words = ["the", "quick", "brown", "fox", "jumped", "over", "the", "lazy", "dog"]
    ours = paper.skip_gram_pairs(words, [reach] * 9, [True] * 9)
    assert ours == skip_gram_pairs(words, reach)


def test_dropping_words_is_leaving_them_out_of_the_sentence(paper):
    words, keep = ["a", "b", "c", "d", "e", "f", "g"], [True, False, True, True, False, False, True]
    left = [word for word, stays in zip(words, keep, strict=True) if stays]
    assert paper.skip_gram_pairs(words, [2] * 7, keep) == skip_gram_pairs(left, 2)


def negative_sampling(seed):
    """A model of word2vec, and a batch in which true words are drawn as negatives."""
    torch.manual_seed(seed)
    model = Word2Vec(6, 4).double()
    torch.nn.init.normal_(model.inputs.weight)
    torch.nn.init.normal_(model.outputs.weight)
    centres, targets, negatives = torch.randint(6, (5,)), torch.randint(6, (5,)), torch.randint(6, (5, 8))
    keep = torch.ones(5, 1, dtype=torch.bool)
    loss = model.negative_loss(centres.unsqueeze(1), keep, targets, negatives)
    arrays = (model.inputs.weight[centres], model.outputs.weight, targets, negatives)
    return model, centres, loss, [array.detach().numpy() for array in arrays]


@pytest.mark.parametrize("seed", range(3))
def test_the_loss_is_the_librarys_and_the_gradient_autograds(paper, seed):
    model, centres, loss, arrays = negative_sampling(seed)
    assert (arrays[3] == arrays[2][:, None]).any()
    assert paper.negative_loss(*arrays) == pytest.approx(loss.item())
    loss.backward()
    dv, dU = paper.negative_gradients(*arrays)
    np.testing.assert_allclose(dU, model.outputs.weight.grad.numpy(), atol=1e-12)
    by_word = np.zeros((6, 4))
    np.add.at(by_word, centres.numpy(), dv)
    np.testing.assert_allclose(by_word, model.inputs.weight.grad.numpy(), atol=1e-12)


def french(sentences):
    text = " ".join(pair.target for pair in load_tatoeba("fra").train[:sentences])
    return Counter(re.findall(r"\w+", text.lower()))


def test_merges_without_ties_are_the_librarys(paper):
    rng = np.random.default_rng(0)  # large random counts: no two pairs are equally frequent
    counts = {word: int(rng.integers(1, 10**9)) for word in french(100)}
    assert paper.learn_merges(counts, 60, 1) == learn_merges(counts, 60)


@given(st.text(st.sampled_from("abğé日 \n"), max_size=12), st.integers(0, 40))
@settings(max_examples=60, deadline=None)
def test_pieces_are_the_librarys(paper, text, count):
    word = text.replace(" ", "")
    merges = [("a", "b"), ("b", "a"), ("a", "a"), ("ab", "a"), ("aa", "aa"), ("b", "b")][: count % 7]
    encoding = BytePairEncoding("ab", merges)
    theirs = [encoding.pieces[i] for i in encoding._encode_word(word)]
    assert paper.encode(word, merges, {"a", "b"}) == theirs
    assert SPACE not in "".join(theirs)


@pytest.mark.parametrize(("top_k", "top_p"), [(None, None), (3, None), (None, 0.7), (4, 0.5), (20, 0.95)])
def test_without_ties_the_cuts_are_the_librarys(paper, top_k, top_p):
    logits = 2 * torch.randn(4, 9, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    theirs = library.next_probabilities(logits, 0.8, top_k, top_p)
    torch.testing.assert_close(paper.next_distribution(logits, 0.8, top_k, top_p), theirs)


def markov(seed, size=5):
    generator = torch.Generator().manual_seed(seed)
    table = torch.rand(size, size, size, dtype=torch.float64, generator=generator) ** 3
    table[..., BOS] = 0
    return TableModel(table / table.sum(dim=-1, keepdim=True), bos=BOS)


def search(paper, model, k, limit, alpha):
    return paper.beam_search(model.step, model.start(), BOS, EOS, k, limit, alpha)


@pytest.mark.parametrize("seed", range(12))
def test_beam_search_is_the_librarys(paper, seed):
    model, k, alpha = markov(seed), 1 + seed % 4, (0.0, 0.6, 1.5)[seed % 3]
    [theirs] = library.beam_search(
        model.step, model.start(), torch.tensor([BOS]), EOS, 7, k, library.LengthPenalty("gnmt", alpha)
    )
    ours, _ = search(paper, model, k, 7, alpha)
    assert [tokens for tokens, _ in ours] == [list(h.tokens) for h in theirs.hypotheses if h.finished]
    assert [score for _, score in ours] == pytest.approx([h.score for h in theirs.hypotheses if h.finished])


@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_stopping_early_changes_nothing(paper, alpha):
    saved = 0
    for seed in range(10):
        model = markov(seed)
        short, steps = search(paper, model, 2, 8, alpha)
        saved += 8 - steps
        penalty = [((5 + n) / 6) ** alpha for n in range(9)]
        beam, found = [[]], []
        for _ in range(8):  # the same rules, to the last step
            longer = [[*path, token] for path in beam for token in range(1, 5)]
            longer = sorted(longer, key=lambda path: -log_p(model, path))
            found += [path for path in longer[:2] if path[-1] == EOS]
            beam = [path for path in longer if path[-1] != EOS][:2]
        best = sorted((-log_p(model, path) / penalty[len(path)], path) for path in found)[:2]
        assert [tokens for tokens, _ in short] == [path for _, path in best]
    assert saved > 0


def log_p(model, path):
    past = [BOS, BOS, *path]
    steps = zip(past, past[1:], past[2:], strict=False)
    return sum(float(model.tables[0, a, b, c].log()) for a, b, c in steps)


def test_bleu_is_sacrebleus(paper):
    references = load_tatoeba("fra").references("test")
    rows = [row for row in references if len(row.references) > 2][:30]
    said = [re.findall(r"\w+|[^\w\s]", row.references[0]) for row in rows]
    said = [[*words[: 3 + i % 9], *words[:1]] for i, words in enumerate(said)]
    known = [[re.findall(r"\w+|[^\w\s]", text) for text in row.references[1:]] for row in rows]
    most = max(map(len, known))
    streams = [[" ".join(texts[i]) if i < len(texts) else None for texts in known] for i in range(most)]
    metric = sacrebleu.BLEU(tokenize="none", smooth_method="none", force=True)
    for count in (1, 5, 30):
        ours, precisions, brevity = paper.bleu(said[:count], known[:count])
        theirs = metric.corpus_score([" ".join(w) for w in said[:count]], [s[:count] for s in streams])
        assert ours == pytest.approx(theirs.score)
        assert [100 * p for p in precisions] == pytest.approx(theirs.precisions)
        assert brevity == pytest.approx(theirs.bp)


def test_analogies_are_the_librarys(paper):
    glove = load_glove()
    number = {word: i for i, word in enumerate(glove.words)}
    asked = load_analogies()["family"][::60]
    questions = np.array([[number[word] for word in question[:3]] for question in asked])
    answers = [nearest(glove, [q.b, q.c], [q.a], 1)[0][0] for q in asked]
    assert [glove.words[i] for i in paper.solve_analogies(glove.vectors, questions)] == answers


def test_the_colleagues_function_is_wrong(paper):
    vectors = np.random.default_rng(0).normal(size=(12, 3)) * np.arange(1, 13)[:, None]
    questions = np.array([[0, 1, 2], [3, 4, 5], [6, 7, 8]])
    assert (paper.broken_analogies(vectors, questions) != paper.solve_analogies(vectors, questions)).any()


def sentence_odds(temperature, *steps):
    """The probability of always drawing the first of a step's tokens, at a temperature."""
    odds = [np.array(step) ** (1 / temperature) for step in steps]
    return np.prod([step[0] / step.sum() for step in odds])


def crowded():
    """A model where two continuations of the third prefix crowd out the way to the best sentence, B 5 eos."""
    table = torch.full((8, 8, 8), 0.7 / 6, dtype=torch.float64)
    table[..., BOS], table[..., EOS] = 0, 0.3
    table[BOS, BOS] = torch.tensor([0, 0, 0.4, 0.33, 0.27, 0, 0, 0])  # A B C = 2 3 4
    table[BOS, 2] = torch.tensor([0, 0, 0.145, 0.145, 0.145, 0.275, 0.145, 0.145])
    table[BOS, 3] = torch.tensor([0, 0, *[(1 - 0.1 / 0.33) / 5] * 3, 0.1 / 0.33, *[(1 - 0.1 / 0.33) / 5] * 2])
    table[BOS, 4] = torch.tensor([0, 0, 0, 0, 0, 0.04, 0.48, 0.48])
    table[3, 5] = torch.tensor([0, 1.0, 0, 0, 0, 0, 0, 0])
    return TableModel(table, bos=BOS)


def test_the_predictions_hold(paper):
    said = paper.predict()
    # (b) y takes two steps of 0.65 against one rival, z one of 0.4 among ten weak rivals and a sure one.
    y, z, x = ([0.65, 0.35], [0.65, 0.35]), ([0.4, *[0.06] * 10], [1.0]), ([0.55, 0.45], [0.65, 0.35])
    assert said["b"] == "sometimes"
    assert sentence_odds(1, *y) > sentence_odds(1, *z) and sentence_odds(0.3, *y) < sentence_odds(0.3, *z)
    assert sentence_odds(1, *y) > sentence_odds(1, *x) and sentence_odds(0.3, *y) > sentence_odds(0.3, *x)
    # (c) on a table made for it the wider beam finds less; on random ones it finds more.
    found = [[search(paper, markov(seed), k, 12, 0.0)[0] for k in (3, 2)] for seed in range(100)]
    gains = [three[0][1] - two[0][1] for three, two in found if three and two]
    assert said["c"] == "sometimes"
    assert max(gains) > 0
    assert search(paper, crowded(), 3, 8, 0.0)[0][0][1] < np.log(0.09)
    assert search(paper, crowded(), 2, 8, 0.0)[0][0] == ([3, 5, 1], pytest.approx(np.log(0.1)))
    # (d) no pair of hypotheses is a counterexample.
    assert said["d"] == "never"
    for (n, p), (m, q) in product([(n, p) for n in (1, 2, 4, 9) for p in (-0.5, -1.0, -2.1, -7.0)], repeat=2):
        if p > q and q * 6 / (5 + m) > p * 6 / (5 + n):
            assert m > n
    # (e) on French words, the first half of the merges never gives fewer pieces; sometimes more.
    words = french(300)
    merges, known = learn_merges(words, 120), {*"".join(words)}
    sizes = [(len(paper.encode(w, merges[:60], known)), len(paper.encode(w, merges, known))) for w in words]
    assert said["e"] == "never"
    assert all(half >= whole for half, whole in sizes) and any(half > whole for half, whole in sizes)
    assert said["a"] == "always"


def test_the_model_answer_says_what_the_table_shows(paper, capsys):
    cells = {cell.id: cell.source for cell in read("ps03_words_decoding").cells}
    names = dict(vars(paper))
    exec("import numpy as np\nfrom course_lib.data import load_analogies, load_glove", names)
    exec(cells["ps03-offset-table"], names)
    rows = {line[:20].strip(): line[20:].split() for line in capsys.readouterr().out.splitlines()[1:]}
    usual, _, says_c, near_c = rows["present participles"]
    for shown in (usual, says_c, near_c):
        assert shown in cells["ps03-offset"]
    smallest = min(rows, key=lambda name: float(rows[name][0]) - float(rows[name][3]))
    assert smallest == "present participles"
    assert float(rows["capitals"][0]) > 80 > 10 > float(rows["capitals"][3])
    assert float(says_c) > 50


@pytest.mark.usefixtures("warm_kernels")
def test_a_student_who_loses_contributions_reads_it(tmp_path):
    answer = (
        "def negative_gradients(v, U, targets, negatives):\n"
        "    asked = np.column_stack([targets, negatives])\n"
        "    slope = 1 / (1 + np.exp(-np.einsum('bkd,bd->bk', U[asked], v)))\n"
        "    slope[:, 0] -= 1\n"
        "    slope[:, 1:] *= negatives != targets[:, None]\n"
        "    slope /= len(v)\n"
        "    dU = np.zeros_like(U)\n"
        "    dU[asked] += slope[:, :, None] * v[:, None]\n"
        "    return np.einsum('bk,bkd->bd', slope, U[asked]), dU"
    )
    outputs = run_with_answer(read("ps03_words_decoding"), "ps03-gradient", answer, tmp_path)
    [shown] = outputs["ps03-gradient-visible"]
    assert shown.evalue.startswith(
        "negative_gradients, on the example of the text: dU[word 1, number 0] should be 2, got 1."
    )
    assert "`dU[words] += …` keeps one of them. np.add.at adds all." in shown.evalue
    assert " ".join(shown.traceback) == f"CheckError: {shown.evalue}"
