import hashlib

from course_lib.data.packaged import DATA_FOLDER
from course_lib.data.shakespeare import load_tiny_shakespeare


def test_the_splits_together_are_the_published_file():
    data = load_tiny_shakespeare()
    text = data.train + data.validation
    published = "86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed"
    assert hashlib.sha256(text.encode()).hexdigest() == published
    assert len(text) == 1_115_394 and text.count("\n") == 40_000
    assert len(data.train) == int(0.9 * len(text))  # the split of nanoGPT


def test_there_are_65_characters():
    data = load_tiny_shakespeare()
    assert len(data.characters) == 65 == len(set(data.characters))
    assert data.characters[:2] == "\n " and data.characters[-1] == "z"
    assert set(data.validation) <= set(data.train)  # validation asks for nothing unseen


def test_it_is_shakespeare():
    data = load_tiny_shakespeare()
    assert data.train.startswith("First Citizen:\nBefore we proceed any further")
    assert "O Romeo, Romeo! wherefore art thou Romeo?" in data.train


def test_the_attribution_is_that_of_the_data_folder():
    data = load_tiny_shakespeare()
    readme = (DATA_FOLDER / "tiny_shakespeare" / "README.md").read_text(encoding="utf8")
    assert data.attribution in readme and data.licence in readme
