import hashlib
import lzma

import pytest

from course_lib.data import DATA_FOLDER, DataError, load_tatoeba, packaged, read_verified, verify_all


@pytest.mark.parametrize(("language", "pairs", "sentences"), [("fra", 60_000, 1000), ("tur", 39_281, 500)])
def test_splits_have_the_stated_sizes_and_share_no_source_sentence(language, pairs, sentences):
    data = load_tatoeba(language)
    assert len(data.train) == pairs
    assert [len(data.references(split)) for split in ("validation", "test")] == [sentences, sentences]
    sources = [{pair.source.lower() for pair in split} for split in (data.train, data.validation, data.test)]
    assert not sources[0] & sources[1] and not sources[0] & sources[2] and not sources[1] & sources[2]


def test_all_references_of_a_test_sentence_are_kept():
    data = load_tatoeba("fra")
    pairs = [(s.source, reference) for s in data.references("test") for reference in s.references]
    assert sorted(pairs) == sorted(data.test)
    assert len(pairs) == 1420


@pytest.mark.parametrize("language", ["fra", "tur"])
def test_training_text_holds_no_held_out_reference(language):
    data = load_tatoeba(language)
    held_out = {pair.target for pair in (*data.validation, *data.test)}
    assert not held_out & {pair.target for pair in data.train}


@pytest.mark.parametrize("language", ["fra", "tur"])
def test_attribution_and_licence_are_those_of_the_data_folder(language):
    data = load_tatoeba(language)
    readme = (DATA_FOLDER / f"tatoeba_eng_{language}" / "README.md").read_text(encoding="utf8")
    assert data.attribution in readme
    assert data.licence == "CC BY 2.0 FR" and "CC BY 2.0 (FR)" in readme


def test_loading_twice_reads_once():
    assert load_tatoeba("fra") is load_tatoeba("fra")


def test_packaged_files_are_the_ones_their_readme_describes():
    problems = verify_all()
    assert problems and not any(problems.values())
    for listing in DATA_FOLDER.glob("*/SHA256SUMS"):
        readme = (listing.parent / "README.md").read_text(encoding="utf8")
        assert all(digest in readme for digest in packaged.checksums(listing.parent).values())


def test_a_missing_file_is_named_with_its_checksum(tmp_path):
    with pytest.raises(DataError, match=r"train\.tsv\.xz is missing: expected sha256 abc, found no file"):
        read_verified(tmp_path / "train.tsv.xz", "abc")


def test_a_damaged_file_is_named_with_both_checksums(tmp_path):
    path = tmp_path / "text.xz"
    path.write_bytes(lzma.compress(b"one"))
    expected = hashlib.sha256(path.read_bytes()).hexdigest()
    assert read_verified(path, expected) == path.read_bytes()
    path.write_bytes(lzma.compress(b"two"))
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    with pytest.raises(DataError, match=rf"text\.xz is damaged: expected sha256 {expected}, found {found}"):
        read_verified(path, expected)


def test_verify_all_reports_a_damaged_file_and_goes_on(tmp_path):
    folder = tmp_path / "set"
    folder.mkdir()
    (folder / "good").write_bytes(b"good")
    (folder / "bad").write_bytes(b"bad")
    digest = hashlib.sha256(b"good").hexdigest()
    (folder / "SHA256SUMS").write_text(f"{digest}  bad\n{digest}  good\n")
    problems = verify_all(tmp_path)
    assert problems["set/good"] == "" and "damaged" in problems["set/bad"]


def test_lines_end_at_newlines_only(tmp_path):
    content = lzma.compress("a\u2028b\tc\nd\x85e\tf\n".encode())
    (tmp_path / "t.xz").write_bytes(content)
    (tmp_path / "SHA256SUMS").write_text(f"{hashlib.sha256(content).hexdigest()}  t.xz\n")
    assert packaged.read_lines(tmp_path, "t.xz") == ["a\u2028b\tc", "d\x85e\tf"]


@pytest.mark.parametrize("wrong", ["deu", "FRA", ""])
def test_an_unknown_language_names_the_known_ones(wrong):
    with pytest.raises(ValueError, match="allowed are 'fra', 'tur'"):
        load_tatoeba(wrong)


@pytest.mark.usefixtures("unchecked")
def test_an_unknown_split_names_the_known_ones():
    with pytest.raises(ValueError, match="'dev'; allowed are 'train', 'validation', 'test'"):
        load_tatoeba("fra").references("dev")
