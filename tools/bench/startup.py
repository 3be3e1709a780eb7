"""How long klamm's first line takes: `klamm --version` and `import klamm.protocol`.

`python -m klamm.tools.bench.startup` starts each in a process of its own, again and again, next
to a Python that does nothing, and prints the median and the least wall times; the least is what
a busy machine would give if it were idle. `--smoke` makes it short.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import median

from klamm.tools.bench._rounds import samples, timed

NOTHING = "python"
VERSION = "klamm --version"
_AIM_MS = {VERSION: 150}
_ROUNDS = 25
_SMOKE_ROUNDS = 2

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
    found = samples({name: timed(_started(name)) for name in COMMANDS}, rounds, sample_s=0.0)
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


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="python -m klamm.tools.bench.startup")
    parser.add_argument("--smoke", action="store_true", help="two rounds")
    chosen = parser.parse_args()
    for line in lines(_SMOKE_ROUNDS if chosen.smoke else _ROUNDS):
        print(line)


if __name__ == "__main__":
    main()
