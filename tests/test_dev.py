"""tools/dev.py as far as it goes without installing anything."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from klamm.tools import dev

ROOT = Path(__file__).resolve().parent.parent
PYPROJECT = """
[build-system]
requires = ["setuptools"]
[project]
dependencies = ["trio"]
[tool.setuptools]
packages = ["klamm"]
[tool.ruff]
line-length = 100
"""


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with nothing but what the set-up reads; starting any program fails the test."""
    (tmp_path / "pyproject.toml").write_text(PYPROJECT)
    (tmp_path / "constraints.txt").write_text("trio==1\n")
    (tmp_path / ".venv").mkdir()
    monkeypatch.setattr(dev, "ROOT", tmp_path)
    monkeypatch.setattr(dev, "VENV", tmp_path / ".venv")
    monkeypatch.setattr(dev, "STAMP", tmp_path / ".venv" / "klamm-set-up")
    monkeypatch.setattr(dev, "CONSTRAINTS", tmp_path / "constraints.txt")

    def refuse(command: list[str], **_: object) -> None:
        raise AssertionError(f"started {command}")

    monkeypatch.setattr(dev, "subprocess", SimpleNamespace(run=refuse))
    return tmp_path


def replace_in(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("pyproject.toml", "trio", "anyio"),
        ("pyproject.toml", 'requires = ["setuptools"]', 'requires = ["setuptools>=80"]'),
        ("pyproject.toml", 'packages = ["klamm"]', 'packages = ["klamm", "klamm.tools"]'),
        ("constraints.txt", "trio==1", "trio==2"),
    ],
)
def test_what_installing_reads_makes_another_stamp(
    checkout: Path, name: str, old: str, new: str
) -> None:
    before = dev.wanted_stamp()
    assert dev.wanted_stamp() == before
    replace_in(checkout / name, old, new)
    assert dev.wanted_stamp() != before


def test_the_extras_and_the_interpreter_make_another_stamp(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = dev.wanted_stamp()
    monkeypatch.setattr(dev, "EXTRAS", "dev")
    other_extras = dev.wanted_stamp()
    assert other_extras != before
    # Another interpreter is told from other packages by the first line alone.
    assert other_extras.splitlines()[0] == before.splitlines()[0]
    monkeypatch.setattr(sys, "version_info", (3, 99, 0))
    assert dev.wanted_stamp().splitlines()[0] != before.splitlines()[0]


def test_how_checks_are_set_up_does_not_count(checkout: Path) -> None:
    before = dev.wanted_stamp()
    replace_in(checkout / "pyproject.toml", "line-length = 100", "line-length = 80")
    assert dev.wanted_stamp() == before


def test_with_the_stamp_in_place_nothing_is_started(checkout: Path) -> None:
    dev.STAMP.write_text(dev.wanted_stamp())
    dev.set_up()
    assert not (checkout / ".venv.lock").exists()


@pytest.mark.parametrize("stamp", [None, "an older one\n"])
def test_without_it_the_set_up_begins_and_leaves_no_stamp_if_it_fails(
    checkout: Path, stamp: str | None
) -> None:
    if stamp is not None:
        dev.STAMP.write_text(stamp)
    with pytest.raises(AssertionError, match=r"started \[.*'venv'"):
        dev.set_up()
    assert dev.found_stamp() == ""


def test_another_digest_alone_installs_again_into_the_same_environment(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dev.STAMP.write_text(dev.wanted_stamp())
    replace_in(checkout / "constraints.txt", "trio==1", "trio==2")
    with pytest.raises(AssertionError, match=r"started \[.*pip', 'install'"):
        dev.set_up()
    assert "installing again" in capsys.readouterr().err


def test_a_step_that_fails_is_named_with_its_status(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing = SimpleNamespace(run=lambda *_, **__: SimpleNamespace(returncode=7))
    monkeypatch.setattr(dev, "subprocess", failing)
    with pytest.raises(SystemExit, match="setting up the tools failed with status 7: pip install"):
        dev.run(["pip", "install"], "the tools")


def test_an_unknown_command_names_the_known_ones(checkout: Path) -> None:
    with pytest.raises(SystemExit) as exit_:
        dev.main(["dmeo"])
    assert exit_.value.code == (
        "dev.py: no command 'dmeo'; there are: demo, up, test, bench, coverage, check"
    )


@pytest.mark.parametrize("arguments", [[], ["-h"], ["--help"], ["help"]])
def test_help_names_every_command(checkout: Path, arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as exit_:
        dev.main(arguments)
    for name in ("demo", "up", "test", "coverage", "bench", "check"):
        assert f"python3 tools/dev.py {name} " in str(exit_.value.code)


@pytest.mark.parametrize(
    ("arguments", "warned"),
    [(["demo"], True), (["demo", "--memory"], False), (["up", "--memory"], False)],
)
def test_only_who_needs_java_is_told_that_there_is_none(
    checkout: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    warned: bool,
) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", "")
    (checkout / ".venv" / "klamm-set-up").write_text(dev.wanted_stamp())
    started: list[str] = []
    monkeypatch.setattr(dev, "become", lambda *command: started.extend(command))
    dev.main(arguments)
    assert started == ["klamm", *arguments]
    assert ("no java on PATH" in capsys.readouterr().err) == warned


def test_an_old_python_is_told_what_is_needed(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 10, 2))
    monkeypatch.setattr(sys, "version", "3.10.2 (main)")
    with pytest.raises(SystemExit, match=r"needs Python 3\.11 or later; this is 3\.10\.2$"):
        dev.main(["demo"])


def test_it_runs_on_the_standard_library_alone() -> None:
    script = ROOT / "tools" / "dev.py"
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(script), "nothing"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("dev.py: no command 'nothing'")
