import pytest
import torch

from course_experiments.protocol import Budget
from course_experiments.vision import describing
from course_lib.applications.describer import FilmDescriber
from course_lib.applications.writing import write
from course_lib.data.described_films import WORDS, describe_films, sentence
from course_lib.data.mnist import load_mnist


def test_scores_by_hand() -> None:
    true = torch.tensor([sentence((3, 7), ("left", "up"))] * 4)
    said = torch.tensor(
        [
            sentence((3, 7), ("left", "up")),
            sentence((3, 8), ("left", "up")),
            sentence((3, 7), ("up", "left")),
            sentence((1, 2), ("left", "down")),
        ]
    )
    assert describing.scores(said, true) == {"digits": 62.5, "motions": 62.5, "sentences": 25.0}


def test_what_is_written_is_what_the_course_s_writer_writes() -> None:
    torch.manual_seed(0)
    network = FilmDescriber(attention=True, motion=False)
    films = describe_films(load_mnist().test, 3, torch.Generator().manual_seed(0))
    said = describing.written(network, films)
    limit = films.sentences.shape[1] - 1
    for row, other in zip(said.tolist(), write(network, films.frames, WORDS, limit), strict=True):
        tokens = tuple(WORDS[i] for i in row[1:])
        assert tokens[: len(other.tokens)] == other.tokens


def test_the_four_networks_are_the_four_of_the_table() -> None:
    assert sorted(describing.KINDS.values()) == [(False, False), (False, True), (True, False), (True, True)]


def test_a_short_run_pauses_goes_on_and_measures(tmp_path, monkeypatch) -> None:
    for name, value in (("BATCH", 2), ("BATCHES", 1), ("EPOCHS", 1), ("PROBE", 5)):
        monkeypatch.setattr(describing, name, value)
    assert describing.run(Budget(tmp_path, minutes=0.0)).paused
    outcome = describing.run(Budget(tmp_path))
    ids = [measured.id for measured in outcome.measurements]
    assert ids[:4] == [f"films-neither-{what}" for what in ("digits", "motions", "sentences", "minutes")]
    assert len(ids) == 16
    assert outcome.checkpoints[0].name == "films_both.safetensors"
    assert all(0 <= measured.value <= 100 for measured in outcome.measurements)


@pytest.mark.parametrize("kind", list(describing.KINDS))
def test_a_few_steps_make_the_loss_smaller(kind) -> None:
    torch.manual_seed(0)
    network = FilmDescriber(*describing.KINDS[kind])
    films = describe_films(load_mnist().train, 16, torch.Generator().manual_seed(0))
    optimizer = torch.optim.Adam(network.parameters(), 1e-2)
    losses = []
    for _ in range(15):
        losses.append(describing.loss(network, films))
        optimizer.zero_grad()
        losses[-1].backward()
        optimizer.step()
    assert losses[-1] < 0.5 * losses[0]
