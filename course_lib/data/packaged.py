"""Files that ship with the course: each is checked against its SHA-256 before it is used."""

import hashlib
import lzma
from pathlib import Path

DATA_FOLDER = Path(__file__).parent


class DataError(RuntimeError):
    """A packaged file is missing or is not the file that the course was tested with."""


def read_verified(path: Path, sha256: str) -> bytes:
    """Return the bytes of a file whose checksum is known.

    Args:
        path: the file.
        sha256: its expected SHA-256, 64 hexadecimal digits.

    Raises:
        DataError: the file is missing or its checksum differs; names file, expected and found checksum.
    """
    advice = "Restore it: in a clone with `git checkout`, elsewhere by installing the course again."
    if not path.is_file():
        raise DataError(f"{path} is missing: expected sha256 {sha256}, found no file. {advice}")
    content = path.read_bytes()
    found = hashlib.sha256(content).hexdigest()
    if found != sha256:
        raise DataError(f"{path} is damaged: expected sha256 {sha256}, found {found}. {advice}")
    return content


def checksums(folder: Path) -> dict[str, str]:
    """Return file name -> SHA-256 as listed in the folder's SHA256SUMS file (the format of `sha256sum`)."""
    lines = (folder / "SHA256SUMS").read_text(encoding="utf8").splitlines()
    return {name: digest for digest, name in (line.split(maxsplit=1) for line in lines)}


def read_lines(folder: Path, name: str) -> list[str]:
    """Return the lines of a verified, xz-compressed UTF-8 text file of a data folder."""
    text = lzma.decompress(read_verified(folder / name, checksums(folder)[name])).decode("utf8")
    return text.removesuffix("\n").split("\n")


def verify_all(root: Path = DATA_FOLDER) -> dict[str, str]:
    """Check every file of every packaged data set.

    Returns:
        path relative to `root` -> "" where the file is right, else what is wrong with it.
    """
    problems = {}
    for listing in sorted(root.glob("*/SHA256SUMS")):
        for name, digest in checksums(listing.parent).items():
            path = listing.parent / name
            try:
                read_verified(path, digest)
                problem = ""
            except DataError as error:
                problem = str(error)
            problems[path.relative_to(root).as_posix()] = problem
    return problems
