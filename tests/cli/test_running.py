"""What commands that run until a signal share."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from klamm.tools.cli import serve
from klamm.tools.cli._running import ReadyFileError, announced, plain_faults


def test_the_store_is_quiet_and_klamm_is_heard() -> None:
    script = (
        "import logging; from klamm.tools.cli._running import set_up_logging; set_up_logging();"
        "logging.getLogger('kazoo.client').warning('Connection dropped');"
        "logging.getLogger('klamm.controller.store.zookeeper').warning('Connection dropped');"
        "logging.getLogger('klamm.node').warning('node 900: out of office')"
    )
    command = [sys.executable, "-P", "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert done.stderr == "WARNING klamm.node: node 900: out of office\n"


def test_a_ready_file_is_there_while_the_block_runs(tmp_path: Path) -> None:
    file = tmp_path / "ready.json"
    with announced(file, {"a": [1]}):
        assert file.read_text() == '{\n  "a": [\n    1\n  ]\n}\n'
        assert list(tmp_path.iterdir()) == [file]
    assert list(tmp_path.iterdir()) == []


def test_a_ready_file_of_one_that_lives_is_no_other_s(tmp_path: Path) -> None:
    file = tmp_path / "ready.json"
    with announced(file, {"bootstrap": "first"}):
        with pytest.raises(ReadyFileError, match="belongs to a klamm that runs; end that one"):
            announced(file, {"bootstrap": "second"}).__enter__()
        result = CliRunner().invoke(serve.command, ["--ready-file", str(file)])
        assert result.exit_code == 2
        assert "belongs to a klamm that runs" in " ".join(result.output.split())
        assert json.loads(file.read_text()) == {"bootstrap": "first"}
        assert list(tmp_path.iterdir()) == [file]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("left", ['{"bootstrap": "of one that was killed"}', ""])
def test_a_ready_file_that_outlived_its_writer_is_replaced(tmp_path: Path, left: str) -> None:
    file = tmp_path / "ready.json"
    file.write_text(left)
    with announced(file, {"bootstrap": "new"}):
        assert json.loads(file.read_text()) == {"bootstrap": "new"}


def test_a_file_that_is_no_ready_file_stays(tmp_path: Path) -> None:
    file = tmp_path / "ready.json"
    for text in ("precious", "5", '{"mine": 1}'):
        file.write_text(text)
        with pytest.raises(ReadyFileError, match="is there and no ready file; name another one"):
            announced(file, {"bootstrap": "new"}).__enter__()
        assert file.read_text() == text


def test_only_what_one_wrote_is_removed(tmp_path: Path) -> None:
    file = tmp_path / "ready.json"
    with announced(file, {"bootstrap": "first"}):
        file.unlink()
        file.write_text("somebody else's")
    assert file.read_text() == "somebody else's"
    file.unlink()
    with announced(file, {"bootstrap": "first"}):
        file.unlink()
    assert list(tmp_path.iterdir()) == []


def test_the_fault_that_people_know_comes_out_of_all_groups() -> None:
    known = OSError("no disk")
    inner = ExceptionGroup("inner", [ValueError("because of it"), known])
    with pytest.raises(OSError, match="no disk") as raised, plain_faults(OSError):
        raise ExceptionGroup("outer", [KeyError(1), inner])
    assert raised.value is known


def test_other_faults_stay_as_they_are() -> None:
    group = ExceptionGroup("outer", [KeyError(1)])
    with pytest.raises(ExceptionGroup) as raised, plain_faults(OSError):
        raise group
    assert raised.value is group
