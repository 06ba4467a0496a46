from collections import Counter

import numpy as np
import pytest

from course_lib.data.packaged import DATA_FOLDER
from course_lib.data.spoken_digits import WORDS, decode_mu_law, load_spoken_digits


def test_splits_hold_every_word_of_every_speaker_equally_often():
    data = load_spoken_digits()
    for split, takes in ((data.train, range(5, 15)), (data.test, range(5))):
        counts = Counter((clip.word, clip.speaker) for clip in split)
        assert len(counts) == len(WORDS) * 6 and set(counts.values()) == {len(takes)}
        assert {clip.take for clip in split} == set(takes)


def test_no_recording_is_in_both_splits():
    data = load_spoken_digits()
    waves = [{clip.wave.tobytes() for clip in split} for split in (data.train, data.test)]
    assert not waves[0] & waves[1]


def test_decoding_undoes_the_published_coding():
    samples = np.linspace(-1, 1, 2001)
    codes = np.round((np.sign(samples) * np.log1p(255 * np.abs(samples)) / np.log(256) + 1) / 2 * 255)
    decoded = decode_mu_law(codes.astype(np.uint8))
    assert np.abs(decoded - samples).max() < 0.03  # half the widest step
    assert np.abs(decoded - samples)[np.abs(samples) < 0.01].max() < 4e-4  # fine where sound is soft
    assert decode_mu_law(np.array([0, 255], np.uint8)).tolist() == pytest.approx([-1, 1])


def test_clips_are_words_not_silence():
    for clip in load_spoken_digits().test:
        assert 0.1 < len(clip.wave) / 8000 < 3
        assert np.abs(clip.wave).max() > 0.003


def test_the_attribution_is_that_of_the_data_folder():
    data = load_spoken_digits()
    readme = (DATA_FOLDER / "fsdd900" / "README.md").read_text(encoding="utf8")
    assert data.attribution in readme and data.licence in readme
