"""`python -m klamm.tools.bench [NAME ...] [--smoke] [...]`: every benchmark, or those named.

Each runs as a process of its own, so that none measures what another left in memory. Options
behind the names go to each of them; a benchmark without `--smoke` or that option says so itself.
"""

import subprocess
import sys
from itertools import takewhile
from pathlib import Path

NAMES = sorted(
    module.stem for module in Path(__file__).parent.glob("*.py") if not module.stem.startswith("_")
)


def main(arguments: list[str]) -> None:
    """Run the benchmarks in turn; exit 1 if one failed, after all have run."""
    named = list(takewhile(lambda argument: not argument.startswith("-"), arguments))
    options = arguments[len(named) :]
    unknown = sorted(set(named) - set(NAMES))
    if unknown:
        sys.exit(f"no benchmark {', '.join(unknown)}; there are: {', '.join(NAMES)}")
    failed = []
    for name in named or NAMES:
        print(f"== {name}", flush=True)
        command = [sys.executable, "-P", "-m", f"klamm.tools.bench.{name}", *options]
        if subprocess.run(command, check=False).returncode:  # noqa: S603 - our own modules
            failed.append(name)
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main(sys.argv[1:])
