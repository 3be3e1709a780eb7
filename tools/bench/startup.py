"""How long klamm's first line takes, and a cluster in memory until it is ready.

`python -m klamm.tools.bench.startup` starts each in a process of its own, again and again, next
to a Python that does nothing, and prints the median and the least wall times; the least is what
a busy machine would give if it were idle. `klamm up --memory` counts until its ready file is
there. `--smoke` makes it short.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from klamm.tools.bench._rounds import samples, timed

NOTHING = "python"
VERSION = "klamm --version"
UP = "klamm up --memory"
_AIM_MS = {VERSION: 150, UP: 500}
_ROUNDS = 25
_SMOKE_ROUNDS = 2
_POLL_S = 0.001

_PYTHON = (sys.executable, "-P", "-c")
_DECODE = """
from klamm.protocol.codec import decode
from klamm.protocol.generated import ApiVersionsRequest
decode(ApiVersionsRequest, b"", 0)
"""
COMMANDS: dict[str, Sequence[str]] = {
    NOTHING: (*_PYTHON, "pass"),
    "import klamm.protocol": (*_PYTHON, "import klamm.protocol"),
    "one message decoded": (*_PYTHON, _DECODE),
    VERSION: (str(Path(sys.executable).with_name("klamm")), "--version"),
}


def lines(rounds: int) -> Iterator[str]:
    """Measure every command; yield a table."""
    contenders = {name: timed(_started(name)) for name in COMMANDS}
    found = samples({**contenders, UP: _until_ready}, rounds, sample_s=0.0)
    yield f"{'start-up':24}{'median ms':>11}{'least ms':>11}   aim"
    for name, seconds in found.items():
        median_ms = median(seconds) * 1e3
        row = f"{name:24}{median_ms:11.0f}{min(seconds) * 1e3:11.0f}"
        if aim_ms := _AIM_MS.get(name):
            row += f"   under {aim_ms}{'' if median_ms < aim_ms else ', missed'}"
        yield row


def _started(name: str) -> Callable[[], object]:
    command = COMMANDS[name]
    return lambda: subprocess.run(command, stdout=subprocess.DEVNULL, check=True)  # noqa: S603


def _until_ready(times: int) -> float:
    """Start a cluster in memory so many times; return the seconds from start to ready file."""
    klamm, seconds = COMMANDS[VERSION][0], 0.0
    for _ in range(times):
        with TemporaryDirectory() as folder:
            ready = Path(folder) / "ready.json"
            command = (klamm, "up", "--memory", "--ready-file", str(ready))
            started = time.perf_counter()
            with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:  # noqa: S603
                while not ready.exists() and process.poll() is None:
                    time.sleep(_POLL_S)
                seconds += time.perf_counter() - started
                process.terminate()
            if process.returncode:
                raise RuntimeError(f"{UP} ended with status {process.returncode}")
    return seconds


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="python -m klamm.tools.bench.startup")
    parser.add_argument("--smoke", action="store_true", help="two rounds")
    chosen = parser.parse_args()
    for line in lines(_SMOKE_ROUNDS if chosen.smoke else _ROUNDS):
        print(line)


if __name__ == "__main__":
    main()
