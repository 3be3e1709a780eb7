"""``python -m klamm.tools.codegen [--check]``: write the generated package, or compare it."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from klamm.tools.codegen.check import faults, output, write
from klamm.tools.codegen.node import SchemaError
from klamm.tools.codegen.source import read_schemas

ROOT = Path(__file__).resolve().parents[2]
"""The root of the repository, where schemas/ and protocol/ are."""


def main(arguments: list[str] | None = None, root: Path = ROOT) -> int:
    """Generate, or with --check only compare; 1 if the files differ, 2 if a schema is refused."""
    parser = argparse.ArgumentParser(prog="python -m klamm.tools.codegen", description=__doc__)
    parser.add_argument(
        "--check", action="store_true", help="write nothing; fail if protocol/generated is stale"
    )
    check = parser.parse_args(arguments).check
    folder = root / "protocol" / "generated"
    try:
        files = output(read_schemas(root))
    except SchemaError as error:
        print(error, file=sys.stderr)
        return 2
    if not check:
        write(files, folder)
    found = faults(files, folder)
    for fault in found:
        print(f"protocol/generated/{fault}", file=sys.stderr)
    if found:
        print("run: python -m klamm.tools.codegen", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
