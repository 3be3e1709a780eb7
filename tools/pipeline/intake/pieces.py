"""Files in pieces: found, digested, and read line by line from any place.

A piece is a run of bytes of a file; a file that was taken in whole is one piece, what was appended
since is another. A piece is read in blocks, each with its own digest, so that a large one can be
digested and read in many places at once; its digest is that of the blocks' digests. Of a file that
is packed by gzip all of this is about what is in it.
"""

from __future__ import annotations

import glob
import gzip
import os
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import IO

import msgspec

#: The length of all blocks of a piece but the last.
BLOCK = 16 * 1024 * 1024
#: How much of a file is looked at to tell what it is.
HEAD = 64 * 1024
_GZIP = b"\x1f\x8b"
_HIDDEN = (".", "_")


class Changed(Exception):
    """A file is not any more what it was a moment ago."""


class Block(msgspec.Struct, frozen=True, array_like=True):
    """A run of bytes: how many, how many line feeds are among them, and their digest."""

    length: int
    feeds: int
    digest: str


class Survey(msgspec.Struct, frozen=True):
    """Runs of bytes of a file to be digested, one after the other from `start` on.

    The last of `lengths` may be -1: up to the end of the file.
    """

    path: str
    start: int
    lengths: tuple[int, ...]


class Surveyed(msgspec.Struct, frozen=True):
    """The blocks of each run, and whether a line ends where the last but one does.

    `error` says why there are none.
    """

    runs: tuple[tuple[Block, ...], ...] = ()
    error: str | None = None


def found(inputs: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return the files that are meant, in order and each once, and the inputs that mean none.

    An input is a file, a folder with all that is below it but hidden files, or a pattern.
    """
    files, nothing = dict[str, None](), []
    for each in inputs:
        names = [each] if os.path.exists(each) else sorted(glob.glob(each, recursive=True))
        meant = [file for name in names for file in _below(Path(name))]
        files.update(dict.fromkeys(meant))
        if not meant:
            nothing.append(each)
    return list(files), nothing


def opened(path: str) -> IO[bytes]:
    """Open a file's content, unpacked if it is packed; raises OSError."""
    return gzip.open(path) if is_packed(path) else open(path, "rb")  # type: ignore[return-value]


def is_packed(path: str) -> bool:
    """Tell whether a file is packed, so that it can be read from its beginning only."""
    with open(path, "rb") as file:
        return file.read(len(_GZIP)) == _GZIP


def head(path: str) -> bytes:
    """Return how a file's content begins; raises OSError or EOFError."""
    with opened(path) as file:
        return file.read(HEAD)


def first_line(start: bytes) -> str:
    """Return a digest of a content's first line, by its beginning."""
    return sha256(start.partition(b"\n")[0]).hexdigest()[:32]


def digest(blocks: Iterable[Block]) -> str:
    """Return the digest of a piece."""
    return sha256("".join(block.digest for block in blocks).encode()).hexdigest()


def survey(wanted: Survey) -> Surveyed:
    """Digest runs of bytes; a run that the file ends in is as long as it is there."""
    try:
        with opened(wanted.path) as file:
            file.seek(wanted.start)
            return Surveyed(tuple(tuple(_blocks(file, length)) for length in wanted.lengths))
    except (OSError, EOFError) as error:
        return Surveyed(error=told(error))


def told(error: Exception) -> str:
    """Say in a few words why a file cannot be read."""
    return error.strerror if isinstance(error, OSError) and error.strerror else str(error)


def ends_line(path: str, offset: int) -> bool:
    """Tell whether a line ends right before this place; raises OSError."""
    if not offset:
        return True
    with opened(path) as file:
        file.seek(offset - 1)
        return file.read(1) == b"\n"


def lines(
    path: str, start: int, blocks: Sequence[Block], line: int, end: int
) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that begin in these blocks, which begin at `start`, with their numbers.

    `line` is that of the byte at `start`. The last line is read to its end, but not beyond `end`.
    Raises Changed if a block is not what it was, when it comes to it.
    """
    inside = not ends_line(path, start)
    with opened(path) as file:
        file.seek(start)
        rest = b""
        for block in blocks:
            data = file.read(block.length)
            if sha256(data).hexdigest() != block.digest:
                raise Changed(f"{path} has changed while it was read: run this again")
            each = (rest + data).split(b"\n")
            rest = each.pop()
            for text in each:
                if not inside:
                    yield line, text
                inside = False
                line += 1
        if rest:
            rest += file.readline(end - file.tell()).removesuffix(b"\n")
        if rest and not inside:
            yield line, rest


def groups(blocks: Sequence[Block], count: int) -> Iterator[tuple[int, int, Sequence[Block]]]:
    """Yield runs of so many blocks, each with the bytes and line feeds before it."""
    before, feeds = 0, 0
    for first, last in pairwise([*range(0, len(blocks), count), len(blocks)]):
        run = blocks[first:last]
        yield before, feeds, run
        before += sum(block.length for block in run)
        feeds += sum(block.feeds for block in run)


def _below(path: Path) -> Iterator[str]:
    if not path.is_dir():
        yield str(path)
        return
    for folder, folders, names in os.walk(path):
        folders[:] = sorted(each for each in folders if not each.startswith(_HIDDEN))
        yield from (
            str(Path(folder, name)) for name in sorted(names) if not name.startswith(_HIDDEN)
        )


def _blocks(file: IO[bytes], length: int) -> Iterator[Block]:
    left = length
    while left and (data := file.read(BLOCK if left < 0 else min(BLOCK, left))):
        yield Block(len(data), data.count(b"\n"), sha256(data).hexdigest())
        if left > 0:
            left -= len(data)
