"""What executors need and may not have: this package, and what it needs to run there.

`zip_code` writes this package alone, for executors that have its dependencies. `pack` writes all
of it into one archive, from the distributions that this process runs with. Both write the same
bytes whenever they are given the same files, so that a cluster's cache of archives holds.

A zip needs an entry for each folder: `klamm` is a namespace package, and Python's zip import finds
none without. Executors bring Python itself, Spark and its Python part.
"""

from __future__ import annotations

import gzip
import io
import os
import sys
import sysconfig
import tarfile
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from hashlib import blake2b
from importlib import import_module
from importlib.metadata import Distribution, PackageNotFoundError, distribution, version
from pathlib import Path, PurePosixPath

import msgspec

PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"
#: The parts of this package, which are folders of their own.
_PARTS = ("protocol", "controller", "tools")
_EXTRAS = frozenset({"spark", "planner"})
#: What every Spark has by itself, and what only the driver uses.
_LEFT_OUT = frozenset({"pyspark", "py4j", "plotly"})
#: What no program imports, and makes up a third of the bytes.
_DEAD_WEIGHT = ("pandas/tests/", "pyarrow/tests/", "pyarrow/include/")
_MANIFEST = "klamm-pack.json"
#: The first moment that a zip can name: bytes must not depend on when they are written.
_EPOCH = (1980, 1, 1, 0, 0, 0)


class PackError(Exception):
    """An archive cannot be made, or does not fit this process; the text says why."""


class Manifest(msgspec.Struct, frozen=True):
    """What an archive says of itself: which Python it is for, and what is in it, by version."""

    python: str
    platform: str
    code: str
    distributions: dict[str, str]


class Packed(msgspec.Struct, frozen=True):
    """An archive that was written."""

    path: Path
    size: int
    files: int
    manifest: Manifest


def code_files() -> dict[str, Path]:
    """Return the modules of this package, by their name in an archive, sorted."""
    found: dict[str, Path] = {}
    for part in _PARTS:
        root = Path(import_module(f"klamm.{part}").__path__[0])
        for folder, below, names in os.walk(root):
            below[:] = [each for each in below if Path(folder, each, "__init__.py").is_file()]
            for name in names:
                if name.endswith(".py") or name == "py.typed":
                    path = Path(folder, name)
                    found[f"klamm/{part}/{path.relative_to(root).as_posix()}"] = path
    return dict(sorted(found.items()))


@cache
def code_digest() -> str:
    """Return what tells this code from any other: twelve hexadecimal digits."""
    digest = blake2b(digest_size=6)
    for name, path in code_files().items():
        data = path.read_bytes()
        digest.update(f"{name} {len(data)}\n".encode())
        digest.update(data)
    return digest.hexdigest()


@cache
def revision() -> str:
    """Return the version of this package with its code's digest, such as 0.1.0+1f0a93c2b7de."""
    return f"{version('klamm')}+{code_digest()}"


def zip_code(to: Path) -> Path:
    """Write this package as a zip that Python can import from; return its path."""
    files: dict[str, Path | bytes] = {**code_files(), **_metadata()}
    folders = {f"{parent}/" for name in files for parent in PurePosixPath(name).parents[:-1]}
    with zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(folders | files.keys()):
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, _data(files[name]) if name in files else b"")
    return to


def _metadata() -> dict[str, bytes]:
    """Return what this package's version is read from."""
    text = distribution("klamm").read_text("METADATA") or ""
    return {f"klamm-{version('klamm')}.dist-info/METADATA": text.encode()}


def _data(file: Path | bytes) -> bytes:
    return file if isinstance(file, bytes) else file.read_bytes()


def needed(
    root: str = "klamm", extras: frozenset[str] = _EXTRAS, left_out: frozenset[str] = _LEFT_OUT
) -> list[Distribution]:
    """Return the distributions that one needs, and those that they need, by name.

    Raises PackError if one of them is not installed.
    """
    from packaging.requirements import Requirement
    from packaging.utils import canonicalize_name

    found: dict[str, Distribution] = {}
    todo: list[tuple[str, frozenset[str]]] = [(root, extras)]
    while todo:
        name, wanted = todo.pop()
        try:
            found[name] = distribution(name)
        except PackageNotFoundError:
            raise PackError(
                f"{name} is not installed here, so it cannot be packed: pip install"
                " 'klamm[spark,planner]'"
            ) from None
        for text in found[name].requires or ():
            requirement = Requirement(text)
            marker, below = requirement.marker, canonicalize_name(requirement.name)
            applies = marker is None or any(
                marker.evaluate({"extra": extra}) for extra in (wanted or {""})
            )
            if applies and below not in found and below not in left_out:
                todo.append((below, frozenset(requirement.extras)))
    return [found[name] for name in sorted(found) if name != root]


def _installed(distributions: Iterable[Distribution]) -> Iterator[tuple[str, Path]]:
    """Yield what they have installed, by path below site-packages; no scripts, no bytecode."""
    for each in distributions:
        for file in each.files or ():
            name = file.as_posix()
            if ".." in file.parts or file.suffix == ".pyc" or name.startswith(_DEAD_WEIGHT):
                continue
            yield name, Path(str(each.locate_file(file)))


def pack(
    to: Path, *, level: int = 6, distributions: Sequence[Distribution] | None = None
) -> Packed:
    """Write the archive that executors need; raises PackError or OSError.

    `level` is gzip's; without `distributions` they are those `needed`. The file appears whole or
    not at all.
    """
    distributions = needed() if distributions is None else distributions
    versions = {each.metadata["Name"].lower(): each.version for each in distributions}
    manifest = Manifest(PYTHON, sysconfig.get_platform(), revision(), versions)
    installed = dict(_installed(distributions))
    files: dict[str, Path | bytes] = {**installed, **code_files(), **_metadata()}
    partial = to.with_name(f".{to.name}.{os.getpid()}")
    try:
        with partial.open("wb") as raw:
            _write(raw, manifest, files, level)
        partial.replace(to)
    finally:
        partial.unlink(missing_ok=True)
    return Packed(to, to.stat().st_size, len(files), manifest)


def _write(
    raw: io.BufferedWriter, manifest: Manifest, files: Mapping[str, Path | bytes], level: int
) -> None:
    with (
        gzip.GzipFile("", "wb", level, raw, mtime=0) as stream,
        tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        # The first entry, so that it can be read without unpacking the rest.
        _add(archive, _MANIFEST, msgspec.json.format(msgspec.json.encode(manifest)), 0o644)
        for name, file in sorted(files.items(), key=lambda each: each[0]):
            runs = isinstance(file, Path) and os.access(file, os.X_OK)
            _add(archive, name, _data(file), 0o755 if runs else 0o644)


def _add(archive: tarfile.TarFile, name: str, data: bytes, mode: int) -> None:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode, entry.mtime = len(data), mode, 0
    archive.addfile(entry, io.BytesIO(data))


def read_manifest(archive: Path) -> Manifest:
    """Return what an archive says of itself; raises PackError if it is none of ours."""
    try:
        with tarfile.open(archive, "r:gz") as opened:
            first = opened.next()
            data = opened.extractfile(first) if first and first.name == _MANIFEST else None
            if data is not None:
                return msgspec.json.decode(data.read(), type=Manifest)
    except FileNotFoundError:
        raise PackError(f"there is no file {archive}; make it: {_command(archive)}") from None
    except (OSError, EOFError, tarfile.TarError, msgspec.DecodeError) as error:
        raise PackError(f"{archive} cannot be read: {error}") from error
    raise PackError(f"{archive} is not an archive of `klamm pipeline pack`")


def check(archive: Path) -> None:
    """Refuse an archive whose executors would not do what this process does; raises PackError."""
    found = read_manifest(archive)
    ours: Sequence[tuple[str, str, str]] = (
        ("Python", found.python, PYTHON),
        ("klamm", found.code, revision()),
    )
    for what, theirs, here in ours:
        if theirs != here:
            raise PackError(
                f"{archive} was made for {what} {theirs}, and this is {what} {here}; make it"
                f" again: {_command(archive)}"
            )


def _command(archive: Path) -> str:
    return f"klamm pipeline pack --to {archive}"
