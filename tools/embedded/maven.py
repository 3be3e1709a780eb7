"""Fetches pinned jars once, by Maven, and trusts them by checksum alone.

A project is a folder with a pom.xml, whose phase `initialize` copies jars into the folder that the
property `outputDirectory` names, and a SHA256SUMS that lists which jars are wanted.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from klamm.tools.embedded.errors import EmbeddedError

CHECKSUMS = "SHA256SUMS"


class MavenError(EmbeddedError):
    """Maven failed, or brought something else than what is pinned; the text has what it said."""


class MavenMissingError(MavenError):
    """There is no Maven on this machine; the text says how to get it."""


def cache_folder() -> Path:
    """Return where fetched files are kept: $KLAMM_CACHE, else klamm in the user's cache folder."""
    chosen = os.environ.get("KLAMM_CACHE")
    if chosen:
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "klamm")


def pinned_jars(project: Path, cache: Path) -> dict[str, Path]:
    """Return the jars that `project` lists in its SHA256SUMS, by file name, out of `cache`.

    If one is missing there, or is not what its checksum says, all are fetched as the project's
    pom.xml tells Maven. Raises MavenMissingError without Maven, MavenError if it fails or brings
    something else.
    """
    wanted = _checksums(project / CHECKSUMS)
    folder = cache / "jars"
    if _faults(wanted, folder):
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as fresh:
            _fetch(project / "pom.xml", Path(fresh))
            if faults := _faults(wanted, Path(fresh)):
                raise MavenError(f"{project}/pom.xml: Maven brought {'; '.join(faults)}")
            for name in wanted:
                Path(fresh, name).replace(folder / name)
    return {name: folder / name for name in wanted}


def _checksums(path: Path) -> dict[str, str]:
    """Read the format of sha256sum(1): a digest, two spaces, a file name."""
    lines = (line.split("  ", 1) for line in path.read_text().splitlines())
    return {name: digest for digest, name in lines}


def _faults(wanted: dict[str, str], folder: Path) -> list[str]:
    found = []
    for name, digest in wanted.items():
        path = folder / name
        if not path.is_file():
            found.append(f"no {name}")
        elif (actual := hashlib.sha256(path.read_bytes()).hexdigest()) != digest:
            found.append(f"{name} with SHA-256 {actual} instead of {digest}")
    return found


def _fetch(pom: Path, folder: Path) -> None:
    maven = shutil.which("mvn")
    if maven is None:
        raise MavenMissingError(
            "Kafka's jars come by Maven, and there is no mvn on PATH (Debian: apt install maven)"
        )
    copy = ["initialize", f"-DoutputDirectory={folder}"]
    done = subprocess.run(  # noqa: S603 - the user's own Maven on our own pom
        [maven, "--quiet", "--batch-mode", "--file", str(pom), *copy],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise MavenError(f"mvn on {pom} failed:\n{done.stdout}{done.stderr}")
