"""A child process that never outlives this one."""

import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

from klamm.tools.embedded.errors import EmbeddedError

_WATCHER = Path(__file__).with_name("watcher.py")
_MARGIN = 10.0  # seconds beyond the grace period, for a machine under load


class WatchedProcess:
    """A command that ends when it is stopped and when this process ends, whatever ends it.

    A watcher process stands between the two. It sits in a session of its own, so Ctrl-C reaches
    neither it nor the command: what uses the service can end first. May be used from any thread.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        cwd: Path,
        log: IO[bytes],
        env: Mapping[str, str] | None = None,
        grace: float = 0.0,
        remove: Path | None = None,
    ) -> None:
        """Start the command.

        `log` gets all its output. `grace` is the time in seconds from SIGTERM to SIGKILL at the
        end, 0 for SIGKILL at once; the folder `remove` is deleted after that.
        """
        self._grace = grace
        script = [sys.executable, "-I", "-S", str(_WATCHER)]
        self._watcher = subprocess.Popen(  # noqa: S603 - our own script and the caller's command
            [*script, str(grace), str(remove or ""), *command],
            cwd=cwd,
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            start_new_session=True,
        )
        assert self._watcher.stdin is not None
        assert self._watcher.stdout is not None
        self._lifeline = self._watcher.stdin
        try:
            with self._watcher.stdout as answer:
                line = answer.readline()
            if not line:
                raise EmbeddedError(f"{command[0]} could not be started")
        except BaseException:
            self.stop()
            raise
        self.pid = int(line)
        """The command's process id, not the watcher's."""

    def poll(self) -> int | None:
        """Return None while the command runs, else the watcher's exit status."""
        return self._watcher.poll()

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the command's end; raises subprocess.TimeoutExpired after `timeout` seconds."""
        return self._watcher.wait(timeout)

    def stop(self) -> None:
        """End the command and wait until it has gone; harmless when it has gone already.

        If waiting is interrupted the command still ends: closing the pipe was all it takes.
        """
        self._lifeline.close()
        try:
            self._watcher.wait(self._grace + _MARGIN)
        except subprocess.TimeoutExpired:
            self._watcher.kill()  # and the kernel kills the command
            self._watcher.wait()
