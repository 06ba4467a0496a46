import numpy as np

from course_lib.data import load_handwriting
from course_lib.data.packaged import DATA_FOLDER


def test_the_official_split_and_no_page_in_two_of_its_parts():
    data = load_handwriting()
    parts = (data.train, data.validation, data.test)
    assert [len(part) for part in parts] == [1250, 110, 233]
    pages = [{line.page for line in part} for part in parts]
    assert [len(found) for found in pages] == [46, 4, 8]
    assert not (pages[0] & pages[1] or pages[0] & pages[2] or pages[1] & pages[2])


def test_a_model_of_the_training_characters_can_write_every_line():
    data = load_handwriting()
    assert len(data.characters) == 86
    assert {c for line in (*data.validation, *data.test) for c in line.text} <= set(data.characters)


def test_texts_belong_to_their_pictures():
    """Longer texts take more room: a text moved on by one line would not fit its picture."""
    lines = load_handwriting().test
    length = np.array([len(line.text) for line in lines])
    width = np.array([line.picture.shape[1] for line in lines])
    assert np.corrcoef(length, width)[0, 1] > 0.85
    assert np.corrcoef(length[1:], width[:-1])[0, 1] < 0.5


def test_lines_lie_and_are_not_turned():
    """Ink is sparse, and lies in the middle rows rather than at the upper and lower edge."""
    for line in load_handwriting().test:
        assert line.picture.shape[0] == 40 and line.picture.max() <= 15
        assert line.picture.mean() < 5
    rows = np.mean([line.picture.mean(axis=1) for line in load_handwriting().test], axis=0)
    assert rows[15:25].mean() > 3 * rows[[0, 1, 38, 39]].mean()


def test_the_attribution_is_that_of_the_data_folder():
    data = load_handwriting()
    readme = (DATA_FOLDER / "peraire_lines" / "README.md").read_text(encoding="utf8")
    assert data.attribution in readme and data.licence in readme
