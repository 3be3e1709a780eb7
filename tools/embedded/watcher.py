"""Runs one command and ends it when the process that asked for it goes away.

Started as a script by `klamm.tools.embedded.process`, with standard input a pipe whose other end
that process holds: the pipe closes when it stops the command, and also when it dies of anything,
SIGKILL included. PR_SET_PDEATHSIG alone would not do, since it fires when the starting *thread*
ends; here the command is started by a main thread, so it covers the death of this watcher.

Arguments: seconds between SIGTERM and SIGKILL (0: SIGKILL at once), a folder to remove when the
command has ended ("" for none), the command. The command's process id is written to standard
output; its own output goes to standard error. Standard library only, to start fast.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable

_PR_SET_PDEATHSIG = 1  # <linux/prctl.h>


def main() -> int:
    """Run the command to its end and return its status (-N when signal N ended it)."""
    grace, folder, *command = sys.argv[1:]
    child = subprocess.Popen(  # noqa: S603 - the command of the process that started us
        command,
        stdin=subprocess.DEVNULL,
        stdout=sys.stderr.fileno(),
        preexec_fn=_end_with_this_process(),  # no second thread runs yet
    )
    sys.stdout.write(f"{child.pid}\n")
    sys.stdout.close()
    threading.Thread(target=_end_at_eof, args=(child, float(grace)), daemon=True).start()
    status = child.wait()
    if folder:
        import shutil

        shutil.rmtree(folder)
    return status


def _end_with_this_process() -> Callable[[], None] | None:
    """Return what a child calls to be killed with us; None where the system has no such call."""
    if sys.platform != "linux":
        return None
    import ctypes

    libc = ctypes.CDLL(None)

    def set_death_signal() -> None:
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)

    return set_death_signal


def _end_at_eof(child: subprocess.Popen[bytes], grace: float) -> None:
    os.read(sys.stdin.fileno(), 1)
    if grace:
        child.terminate()
        time.sleep(grace)  # the main thread ends us earlier if the command ends
    child.kill()


if __name__ == "__main__":
    sys.exit(main())
