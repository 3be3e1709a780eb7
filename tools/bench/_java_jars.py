"""Fetches the jars of the Java oracle once, by Maven, and trusts them by checksum alone."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

CHECKSUMS = "SHA256SUMS"


class JavaOracleError(Exception):
    """The oracle failed, or refused a question; the text has what Java or Maven said."""


class JavaMissingError(JavaOracleError):
    """A tool that the oracle needs is not on this machine; the text says how to get it."""


def cache_folder() -> Path:
    """Return where fetched files are kept: $KLAMM_CACHE, else klamm in the user's cache folder."""
    chosen = os.environ.get("KLAMM_CACHE")
    if chosen:
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "klamm")


def jars(project: Path, cache: Path) -> dict[str, Path]:
    """Return the jars that `project` lists in its SHA256SUMS, by file name, out of `cache`.

    If one is missing there, or is not what its checksum says, all are fetched as the project's
    pom.xml tells Maven. Raises JavaMissingError without Maven, JavaOracleError if it fails or
    brings something else.
    """
    wanted = _checksums(project / CHECKSUMS)
    folder = cache / "jars"
    if _faults(wanted, folder):
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as fresh:
            _fetch(project / "pom.xml", Path(fresh))
            if faults := _faults(wanted, Path(fresh)):
                raise JavaOracleError(f"{project}/pom.xml: Maven brought {'; '.join(faults)}")
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
        raise JavaMissingError(
            "Kafka's jars come by Maven, and there is no mvn on PATH (Debian: apt install maven)"
        )
    goal = ["dependency:copy", f"-DoutputDirectory={folder}"]
    done = subprocess.run(  # noqa: S603 - the user's own Maven on our own pom
        [maven, "--quiet", "--batch-mode", "--file", str(pom), *goal],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise JavaOracleError(f"mvn {goal[0]} failed:\n{done.stdout}{done.stderr}")
