import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest
from processes import has_ended, parent_of, wait_until

from klamm.tools.embedded.errors import EmbeddedError
from klamm.tools.embedded.process import WatchedProcess

LIVES = ["/bin/sleep", "600"]

HOLDER = """
import sys, tempfile
from pathlib import Path
from klamm.tools.embedded.process import WatchedProcess

folder = Path(sys.argv[1])
process = WatchedProcess(["/bin/sleep", "600"], cwd=folder, log=tempfile.TemporaryFile(),
                         grace=float(sys.argv[2]), remove=folder)
print(process.pid, flush=True)
sys.stdin.read()
"""


@pytest.fixture
def log() -> Iterator[IO[bytes]]:
    with tempfile.TemporaryFile() as file:
        yield file


def text_of(log: IO[bytes]) -> str:
    return os.pread(log.fileno(), 10_000, 0).decode()


def shell(script: str) -> list[str]:
    return ["/bin/sh", "-c", script]


def test_the_command_runs_where_and_as_it_is_told(log: IO[bytes], tmp_path: Path) -> None:
    script = shell('echo "$$ $(pwd) $A"; echo error >&2; exit 7')
    process = WatchedProcess(script, cwd=tmp_path, log=log, env={"A": "b"})
    assert process.wait(20) == 7
    assert text_of(log) == f"{process.pid} {tmp_path} b\nerror\n"
    process.stop()
    assert has_ended(process.pid)


def test_it_runs_until_it_is_stopped(log: IO[bytes], tmp_path: Path) -> None:
    process = WatchedProcess(LIVES, cwd=tmp_path, log=log)
    assert process.poll() is None
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.01)
    process.stop()
    assert process.poll() is not None
    assert has_ended(process.pid)
    process.stop()


def test_its_folder_goes_when_it_has_gone(log: IO[bytes], tmp_path: Path) -> None:
    folder = tmp_path / "own"
    (folder / "deeper").mkdir(parents=True)
    process = WatchedProcess(LIVES, cwd=folder, log=log, remove=folder)
    process.stop()
    assert not folder.exists()


def test_within_its_grace_it_may_end_by_itself(log: IO[bytes], tmp_path: Path) -> None:
    script = shell("trap 'echo tidied up; exit 0' TERM; echo ready; while :; do sleep 0.01; done")
    process = WatchedProcess(script, cwd=tmp_path, log=log, grace=60)
    wait_until(lambda: text_of(log) == "ready\n", "the trap is set")
    process.stop()
    assert text_of(log) == "ready\ntidied up\n"


def test_after_its_grace_it_is_killed(log: IO[bytes], tmp_path: Path) -> None:
    script = shell("trap '' TERM; echo ready; while :; do sleep 0.01; done")
    process = WatchedProcess(script, cwd=tmp_path, log=log, grace=0.05)
    wait_until(lambda: text_of(log) == "ready\n", "the trap is set")
    process.stop()
    assert has_ended(process.pid)


@pytest.mark.parametrize("grace", [0, 5])
def test_it_ends_with_a_parent_that_is_killed(grace: float, tmp_path: Path) -> None:
    folder = tmp_path / "own"
    folder.mkdir()
    command = [sys.executable, "-P", "-c", HOLDER, str(folder), str(grace)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        pid = int(holder.stdout.readline())
        assert not has_ended(pid)
        holder.kill()
    wait_until(lambda: has_ended(pid), "the command ends with its parent")
    wait_until(lambda: not folder.exists(), "its folder goes with it")


def test_it_outlives_the_thread_that_started_it(log: IO[bytes], tmp_path: Path) -> None:
    started: list[WatchedProcess] = []
    thread = threading.Thread(
        target=lambda: started.append(WatchedProcess(LIVES, cwd=tmp_path, log=log))
    )
    thread.start()
    thread.join()
    tasks = Path("/proc/self/task")
    wait_until(lambda: not (tasks / str(thread.native_id)).exists(), "the thread has gone")
    (process,) = started
    # Had the thread's end killed it, the watcher would have nothing left to wait for.
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.2)
    process.stop()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has PR_SET_PDEATHSIG")
def test_it_ends_with_a_watcher_that_is_killed(log: IO[bytes], tmp_path: Path) -> None:
    process = WatchedProcess(LIVES, cwd=tmp_path, log=log)
    os.kill(parent_of(process.pid), signal.SIGKILL)
    wait_until(lambda: has_ended(process.pid), "the command ends with its watcher")
    process.stop()


def test_a_terminals_ctrl_c_does_not_reach_it(log: IO[bytes], tmp_path: Path) -> None:
    process = WatchedProcess(LIVES, cwd=tmp_path, log=log)
    assert os.getpgid(process.pid) != os.getpgid(0)
    assert os.getsid(process.pid) != os.getsid(0)
    process.stop()


def test_a_command_that_does_not_exist_is_an_error(log: IO[bytes], tmp_path: Path) -> None:
    with pytest.raises(EmbeddedError, match="/no/such/java could not be started"):
        WatchedProcess(["/no/such/java"], cwd=tmp_path, log=log)
    assert "FileNotFoundError" in text_of(log)


def test_a_watcher_that_hangs_is_killed(
    log: IO[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("klamm.tools.embedded.process._MARGIN", 0.05)
    process = WatchedProcess(LIVES, cwd=tmp_path, log=log, grace=0)
    os.kill(parent_of(process.pid), signal.SIGSTOP)
    process.stop()
    wait_until(lambda: has_ended(process.pid), "the command ends with its watcher")
