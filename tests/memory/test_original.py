"""The original memory network beside loops over its formulas, and on stories that it can solve."""

import pytest
import torch

from course_lib.memory.original import OriginalMemoryNetwork, winner

# Two stories of ids, the newest sentence first: of 3 and of 2 sentences, of 1 to 3 words; 0 is padding.
SENTENCES = torch.tensor([[[1, 2, 3], [4, 5, 0], [6, 1, 2]], [[3, 0, 0], [2, 6, 4], [0, 0, 0]]])
QUESTIONS = torch.tensor([[5, 1], [6, 0]])
ANSWERS = torch.tensor([2, 6])
SUPPORTING = torch.tensor([[2, 0], [0, 1]])


def network(hops=2):
    torch.manual_seed(0)
    model = OriginalMemoryNetwork(7, 4, hops).double()
    for weight in model.parameters():
        torch.nn.init.normal_(weight)
    return model


def bag(table, words):
    return sum((table.weight[word] for word in words if word), torch.zeros(4, dtype=torch.float64))


def better(model, story, question, found, one, other):
    """s_O(x, y, y') of two places, by the formula."""
    x = bag(model.asked, question) + sum(bag(model.found, story[place]) for place in found)
    last = found[-1] if found else -1
    times = torch.tensor([last > one, last > other, one > other]).double() @ model.times
    return float(x @ (bag(model.offered, story[one]) - bag(model.offered, story[other]) + times))


def said(model, story, question, found):
    x = bag(model.told_asked, question) + sum(bag(model.told_found, story[place]) for place in found)
    return model.words.weight @ x


@torch.no_grad()
def test_a_batch_is_what_loops_over_words_and_sentences_give():
    model = network()
    scores, places = model(SENTENCES, QUESTIONS)
    for i in range(2):
        story = [[w for w in words if w] for words in SENTENCES[i].tolist()]
        story, question = [s for s in story if s], QUESTIONS[i].tolist()
        found = []
        for _ in range(2):
            best = 0
            for challenger in range(1, len(story)):
                if better(model, story, question, found, challenger, best) > 0:
                    best = challenger
            found.append(best)
        assert places[i].tolist() == found
        torch.testing.assert_close(scores[i], said(model, story, question, found))


@torch.no_grad()
def test_the_loss_is_what_lacks_to_the_margin():
    model, margin, total = network(), 0.7, 0.0
    for i in range(2):
        story = [[w for w in words if w] for words in SENTENCES[i].tolist()]
        story, question = [s for s in story if s], QUESTIONS[i].tolist()
        for hop, right in enumerate(SUPPORTING[i].tolist()):
            found = SUPPORTING[i, :hop].tolist()
            for other in set(range(len(story))) - {right}:
                total += max(0, margin - better(model, story, question, found, right, other))
                total += max(0, margin + better(model, story, question, found, other, right))
        words = said(model, story, question, SUPPORTING[i].tolist())
        right = int(ANSWERS[i])
        total += sum(max(0, margin - float(words[right] - words[w])) for w in range(7) if w != right)
    loss = model.loss(SENTENCES, QUESTIONS, ANSWERS, SUPPORTING, margin)
    assert float(loss) == pytest.approx(total / 2)


def test_gradients_are_those_of_finite_differences():
    class Lacking(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = network()

        def forward(self):  # a margin that no difference comes near: there the loss has no corners
            return self.model.loss(SENTENCES, QUESTIONS, ANSWERS, SUPPORTING, margin=100.0)

    model = Lacking()
    names = [name for name, _ in model.named_parameters()]

    def run(*values):
        return torch.func.functional_call(model, dict(zip(names, values, strict=True)), ())

    assert torch.autograd.gradcheck(run, tuple(w.detach().requires_grad_() for w in model.parameters()))


def test_the_winner_is_left_when_each_challenges_the_best_so_far():
    beats = torch.tensor([[[0.0, -1, -1], [1, 0, 1], [1, -1, 0]]])  # 1 beats all
    assert winner(beats, torch.ones(1, 3, dtype=torch.bool)).tolist() == [1]
    assert winner(beats, torch.tensor([[True, False, True]])).tolist() == [2]
    assert winner(torch.zeros(1, 3, 3), torch.ones(1, 3, dtype=torch.bool)).tolist() == [
        0
    ]  # no one is better


def test_it_learns_who_is_the_last_to_move():
    """Word 1 or 2 is the person asked for, 3 and 4 are places: the newest sentence of the person counts."""
    generator = torch.Generator().manual_seed(0)
    people = torch.randint(1, 3, (300, 4), generator=generator)
    places = torch.randint(3, 5, (300, 4), generator=generator)
    asked = people[torch.arange(300), torch.randint(4, (300,), generator=generator)]
    supporting = (people == asked[:, None]).int().argmax(dim=1)
    sentences = torch.stack([people, places], dim=2)
    answers = places[torch.arange(300), supporting]
    torch.manual_seed(0)
    model = OriginalMemoryNetwork(5, 10, hops=1)
    optimizer = torch.optim.Adam(model.parameters(), 0.02)
    for _ in range(150):
        optimizer.zero_grad()
        loss = model.loss(sentences[:200], asked[:200, None], answers[:200], supporting[:200, None])
        loss.backward()
        optimizer.step()
    scores, found = model(sentences[200:], asked[200:, None])
    assert (found[:, 0] == supporting[200:]).double().mean() > 0.95
    assert (scores.argmax(dim=1) == answers[200:]).double().mean() > 0.95


def test_what_cannot_be_read_is_named():
    model = network()
    with pytest.raises(ValueError, match="story 1 of the batch is empty"):
        model(SENTENCES * torch.tensor([1, 0])[:, None, None], QUESTIONS)
    with pytest.raises(ValueError, match="question 0 of the batch is empty"):
        model(SENTENCES, torch.tensor([[0, 0], [6, 0]]))
    with pytest.raises(ValueError, match="a word has id 7; allowed are 0 to 6"):
        model(SENTENCES, QUESTIONS + 1)
    with pytest.raises(ValueError, match="hops is 0; allowed is 1 or more"):
        network(hops=0)
