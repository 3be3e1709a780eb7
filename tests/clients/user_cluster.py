"""`klamm up` as a user starts it: a process, found by its ready file."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from processes import wait_until

KLAMM = [sys.executable, "-P", "-c", "from klamm.tools.cli.main import main; main()"]


@contextmanager
def klamm_up(folder: Path, *options: str) -> Iterator[dict[str, Any]]:
    """Run it, give what its ready file says, and end it as Ctrl-C does."""
    ready, log = folder / "ready.json", folder / "klamm.log"
    command = [*KLAMM, "up", "--ready-file", str(ready), *options]
    environment = {**os.environ, "TMPDIR": str(folder)}
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, stdout=output, stderr=subprocess.STDOUT, env=environment
        )
        try:
            wait_until(
                lambda: ready.exists() or process.poll() is not None, "klamm up to be ready", 60
            )
            assert process.poll() is None, log.read_text()
            yield json.loads(ready.read_text())
            process.send_signal(signal.SIGINT)
            assert process.wait(30) == 0, log.read_text()
        finally:
            process.kill()
            process.wait()
