"""Fuzz connections guided by coverage; needs atheris (`pip install atheris`), which is optional.

``PYTHONPATH=tests python -P -m fuzz.guided NEW tests/fuzz/corpus -max_total_time=600`` starts from
the corpus and writes what leads further into the folder NEW; the options are libFuzzer's, and so is
the report. An input that fails is written to a file ``crash-...``: put it into the corpus, where
the default tests hold it from then on.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from importlib import import_module
from typing import Protocol, cast


class Atheris(Protocol):
    """What is used of atheris, which has no types."""

    def instrument_imports(self, include: Sequence[str]) -> AbstractContextManager[None]: ...
    def Setup(self, argv: Sequence[str], target: Callable[[bytes], None]) -> None: ...
    def Fuzz(self) -> None: ...


def main() -> None:
    """Instrument klamm, all generated messages included, and fuzz until an option ends it."""
    atheris = cast(Atheris, import_module("atheris"))
    with atheris.instrument_imports(include=["klamm"]):
        target = import_module("fuzz.fuzz_connection")
        registry = import_module("klamm.protocol.registry")
        for key in registry.API_KEYS:
            registry.request(key)
            registry.response(key)
    atheris.Setup(sys.argv, target.check)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
