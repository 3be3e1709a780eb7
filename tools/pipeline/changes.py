"""Changes of a folder of files that come true wholly or not at all, whoever is killed when.

New files are made in a folder beside the tables. Then a list of what is to be removed is put there:
from that moment on the change is decided, and whoever comes next carries it out, if its author
does not. Without a list it never was, and goes. Readers that ask (`listing`) see every file of a
change or none.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

#: Where changes are made. Readers of Parquet skip names that begin so.
_FOLDER = "_changes"
_DECIDED = "decided.json"
_NEW = "new"


class LakeError(Exception):
    """Tables cannot be read or written as was asked; the text says what to do."""


class Change:
    """What is to come true at once: files that are made in its folder, and files that go."""

    def __init__(self, root: Path) -> None:
        self.name = uuid4().hex
        self._root = root
        self._folder = root / _FOLDER / self.name
        self._removed = set[Path]()
        (self._folder / _NEW).mkdir(parents=True)

    def folder(self, path: Path) -> Path:
        """Return where to make the files that are to be in this folder below the root."""
        return self._folder / _NEW / path

    def made(self) -> list[Path]:
        """Name the files that were made so far, in order."""
        return sorted((self._folder / _NEW).rglob("*.parquet"))

    def place(self, made: Path) -> Path:
        """Return where a file that was made is to be."""
        return self._root / made.relative_to(self._folder / _NEW)

    def removes(self, file: Path) -> bool:
        """Tell whether a file is to go."""
        return file.relative_to(self._root) in self._removed

    def remove(self, file: Path) -> None:
        """Have a file go when the change comes true."""
        self._removed.add(file.relative_to(self._root))

    def _decide(self) -> None:
        for file in (self._folder / _NEW).rglob("*"):
            # Spark's own notes, and checksums that Hadoop puts beside each file.
            if file.is_file() and file.suffix != ".parquet":
                file.unlink()
            elif file.is_file():
                _sync(file)
        text = json.dumps(sorted(map(str, self._removed)))
        draft = self._folder / "draft.json"
        draft.write_text(text)
        _sync(draft)
        draft.replace(self._folder / _DECIDED)
        _sync(self._folder)


@contextmanager
def changes(root: Path, wait: bool = False) -> Iterator[Change]:
    """Give a change, decide and carry it out at the end; drop it if the block fails.

    Raises LakeError if another process is at it, unless it is to be waited for, or if the folder
    cannot be written.
    """
    try:
        (root / _FOLDER).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LakeError(f"{root} cannot be a folder of tables: {error.strerror}") from error
    with _locked(root, "writer", fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB)):
        _settle(root)
        change = Change(root)
        try:
            yield change
            change._decide()
        except BaseException:
            shutil.rmtree(root / _FOLDER / change.name)
            raise
        _settle(root)


@contextmanager
def listing(root: Path) -> Iterator[None]:
    """Hold changes back while files are listed, after what was decided has come true."""
    if not (root / _FOLDER).is_dir():
        yield
        return
    if any((root / _FOLDER).glob(f"*/{_DECIDED}")):
        with _locked(root, "files", fcntl.LOCK_EX):
            _carry_out(root)
    with _locked(root, "files", fcntl.LOCK_SH):
        yield


def _settle(root: Path) -> None:
    """Carry out what was decided, and drop what was not; only a writer may."""
    with _locked(root, "files", fcntl.LOCK_EX):
        _carry_out(root)
    for folder in (root / _FOLDER).iterdir():
        if folder.is_dir():
            shutil.rmtree(folder)


def _carry_out(root: Path) -> None:
    for decided in sorted((root / _FOLDER).glob(f"*/{_DECIDED}")):
        for removed in json.loads(decided.read_text()):
            (root / removed).unlink(missing_ok=True)
        made = decided.parent / _NEW
        for file in sorted(made.rglob("*.parquet")):
            place = root / file.relative_to(made)
            place.parent.mkdir(parents=True, exist_ok=True)
            file.replace(place)
        shutil.rmtree(decided.parent)


@contextmanager
def _locked(root: Path, name: str, how: int) -> Iterator[None]:
    """Hold one of the two locks; the system lets go of them when a process ends, however."""
    file = os.open(root / _FOLDER / f"{name}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        try:
            fcntl.flock(file, how)
        except BlockingIOError as error:
            raise LakeError(f"another job writes into {root}: wait until it has ended") from error
        yield
    finally:
        os.close(file)


def _sync(path: Path) -> None:
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)
