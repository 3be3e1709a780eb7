import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

from klamm.tools.embedded.maven import (
    MavenError,
    MavenMissingError,
    cache_folder,
    pinned_jars,
)

GOOD = b"what was pinned\n"

FakeMaven = Callable[[str], None]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    digest = hashlib.sha256(GOOD).hexdigest()
    (folder / "SHA256SUMS").write_text(f"{digest}  a-1.jar\n{digest}  b-2.jar\n")
    return folder


@pytest.fixture
def maven(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeMaven:
    """Make the only program on PATH an `mvn` that runs a line of shell, with $out to write into."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))

    def install(line: str) -> None:
        path = folder / "mvn"
        path.write_text(f'#!/bin/sh\nfor last; do :; done\nout="${{last#*=}}"\n{line}\n')
        path.chmod(0o755)

    return install


BRINGS_GOOD = 'for jar in a-1 b-2; do echo what was pinned > "$out/$jar.jar"; done'


def test_they_are_fetched_once(project: Path, tmp_path: Path, maven: FakeMaven) -> None:
    maven(BRINGS_GOOD)
    found = pinned_jars(project, tmp_path / "cache")
    assert {name: path.read_bytes() for name, path in found.items()} == {
        "a-1.jar": GOOD,
        "b-2.jar": GOOD,
    }
    maven("exit 1")
    assert pinned_jars(project, tmp_path / "cache") == found
    assert sorted(path.name for path in (tmp_path / "cache" / "jars").iterdir()) == sorted(found)


def test_a_damaged_one_is_fetched_again(project: Path, tmp_path: Path, maven: FakeMaven) -> None:
    maven(BRINGS_GOOD)
    path = pinned_jars(project, tmp_path)["b-2.jar"]
    path.write_bytes(b"half of it")
    assert pinned_jars(project, tmp_path)["b-2.jar"].read_bytes() == GOOD


def test_others_than_the_pinned_are_refused(
    project: Path, tmp_path: Path, maven: FakeMaven
) -> None:
    maven('echo something else > "$out/b-2.jar"')
    other = hashlib.sha256(b"something else\n").hexdigest()
    with pytest.raises(MavenError, match=rf"brought no a-1\.jar; b-2\.jar with .*{other}"):
        pinned_jars(project, tmp_path)
    assert not list(tmp_path.rglob("*.jar"))


def test_what_maven_says_is_told(project: Path, tmp_path: Path, maven: FakeMaven) -> None:
    maven("echo could not resolve; exit 3")
    with pytest.raises(MavenError, match=r"mvn on .*pom\.xml failed:\ncould not resolve"):
        pinned_jars(project, tmp_path)


@pytest.mark.usefixtures("maven")
def test_without_maven_there_is_a_hint(project: Path, tmp_path: Path) -> None:
    with pytest.raises(MavenMissingError, match=r"no mvn on PATH \(Debian: apt install maven\)"):
        pinned_jars(project, tmp_path)


def test_the_cache_is_where_the_user_wants_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("KLAMM_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", "/home/somebody")
    assert cache_folder() == Path("/home/somebody/.cache/klamm")
    monkeypatch.setenv("XDG_CACHE_HOME", "/var/cache/somebody")
    assert cache_folder() == Path("/var/cache/somebody/klamm")
    monkeypatch.setenv("KLAMM_CACHE", str(tmp_path))
    assert cache_folder() == tmp_path
