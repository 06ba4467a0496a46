import numpy as np
import pytest

from course_lib.data.spoken_digits import WORDS, load_spoken_digits
from course_lib.data.spoken_strings import join, spoken_strings


def test_recordings_stand_one_after_the_other():
    clips = load_spoken_digits().test[:3]
    joined = join(clips)
    pieces = np.split(joined.wave, joined.ends[:-1])
    assert joined.ends[-1] == len(joined.wave)
    for clip, piece, digit in zip(clips, pieces, joined.digits, strict=True):
        assert np.array_equal(clip.wave, piece) and WORDS[digit] == clip.word


def test_every_string_has_one_voice_and_an_allowed_length():
    clips = load_spoken_digits().test
    voice = {clip.wave.tobytes(): clip.speaker for clip in clips}
    strings = spoken_strings(clips, 40, 3, 5, seed=0)
    voices = [{voice[piece.tobytes()] for piece in np.split(s.wave, s.ends[:-1])} for s in strings]
    assert all(len(found) == 1 for found in voices) and len(set.union(*voices)) == 6
    assert {len(s.digits) for s in strings} == {3, 4, 5}
    assert {digit for s in strings for digit in s.digits} == set(range(10))


def test_a_seed_draws_the_same_strings_again():
    clips = load_spoken_digits().test
    drawn = [[s.digits for s in spoken_strings(clips, 5, 3, 6, seed)] for seed in (0, 0, 1)]
    assert drawn[0] == drawn[1] != drawn[2]


def test_what_is_not_allowed_is_named():
    with pytest.raises(ValueError, match="clips are 0"):
        join([])
    with pytest.raises(ValueError, match="lengths are 4 to 3; allowed is 1 or more"):
        spoken_strings(load_spoken_digits().test, 1, 4, 3, seed=0)
