"""Examples in docstrings are true."""

import doctest
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
MODULES = sorted(
    "klamm." + ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for folder in ("protocol", "controller", "tools")
    for path in (ROOT / folder).rglob("*.py")
    if ">>> " in path.read_text() and path.parent.name != "generated"
)


def test_there_are_examples() -> None:
    assert MODULES


@pytest.mark.parametrize("module", MODULES)
def test_examples(module: str) -> None:
    results = doctest.testmod(import_module(module))
    assert results.attempted > 0
    assert results.failed == 0
