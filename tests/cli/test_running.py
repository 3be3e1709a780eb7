"""What commands that run until a signal share."""

import subprocess
import sys
from pathlib import Path

import pytest

from klamm.tools.cli._running import announced, plain_faults


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
