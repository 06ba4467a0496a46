import numpy as np
import pytest

from course_lib.data.packaged import DATA_FOLDER
from course_lib.data.time_series import load_sunspots, mackey_glass


def test_every_year_is_there_once():
    data = load_sunspots()
    assert data.years.tolist() == list(range(1700, 2009)) and data.numbers.shape == (309,)
    assert (data.numbers >= 0).all() and np.isfinite(data.numbers).all()


def test_the_sun_has_its_known_extremes_and_its_cycle_of_eleven_years():
    data = load_sunspots()
    assert data.years[data.numbers.argmax()] == 1957  # the strongest cycle on record
    assert data.between(1710, 1712).max() < 4  # the end of the Maunder minimum
    power = np.abs(np.fft.rfft(data.numbers - data.numbers.mean())) ** 2
    assert 309 / power.argmax() == pytest.approx(11, abs=0.5)


def test_years_are_taken_with_both_ends():
    data = load_sunspots()
    assert len(data.between(1700, 1920)) == 221 and len(data.between(1921, 1955)) == 35
    assert data.between(1957, 1957).tolist() == [data.numbers.max()]
    for years in ((1699, 1800), (1900, 2009), (1800, 1799)):
        with pytest.raises(ValueError, match=f"years are {years[0]} to {years[1]}; allowed are 1700 to 2008"):
            data.between(*years)


def test_the_attribution_is_that_of_the_data_folder():
    data = load_sunspots()
    readme = (DATA_FOLDER / "sunspots" / "README.md").read_text(encoding="utf8")
    assert data.attribution in readme and data.licence in readme


def test_a_series_that_starts_in_balance_stays_there():
    """0.2 · 1 / (1 + 1) = 0.1 · 1."""
    np.testing.assert_allclose(mackey_glass(50, start=1.0, skip=0), 1)


def test_the_first_delay_is_the_linear_equation_solved_by_hand():
    """Until t = τ the past is the start, so dx/dt = a − 0.1 x: an exponential towards 10 a."""
    a = 0.2 * 1.2 / (1 + 1.2**10)
    t = np.arange(18)
    np.testing.assert_allclose(
        mackey_glass(18, skip=0), 10 * a + (1.2 - 10 * a) * np.exp(-0.1 * t), atol=1e-7
    )


def test_a_finer_solver_says_the_same_until_chaos_takes_over():
    coarse, fine = (mackey_glass(150, skip=0, per_unit=per_unit) for per_unit in (10, 40))
    np.testing.assert_allclose(coarse, fine, atol=1e-3)


def test_delay_17_never_repeats_and_delay_6_comes_to_a_cycle():
    """Two starts that differ by a millionth drift apart only where there is chaos."""
    for tau, apart in ((17, True), (6, False)):
        one, other = (mackey_glass(1000, tau=tau, start=start, skip=3500) for start in (1.2, 1.2 + 1e-6))
        assert (np.abs(one - other).max() > 0.1) == apart


def test_it_skips_what_it_is_told_to():
    np.testing.assert_array_equal(mackey_glass(30, skip=20), mackey_glass(50, skip=0)[20:])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"steps": 0}, "steps is 0; allowed is 1 or more"),
        ({"tau": 0}, "tau is 0; allowed are multiples of 0.1 above 0"),
        ({"tau": 0.25}, "tau is 0.25"),
        ({"skip": -1}, "skip is -1"),
        ({"per_unit": 0}, "per_unit is 0"),
    ],
)
def test_a_series_that_cannot_be_is_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        mackey_glass(**{"steps": 5, **wrong})
