"""Tables of messages and the versions that an independent codec confirmed, kept as golden text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

GOLDEN = Path(__file__).parent / "golden"


def table(title: str, covered: Mapping[str, Iterable[int]], all_versions: Mapping[str, int]) -> str:
    """Give the table: a row per message, a column per version, blank where nobody knows it.

    `all_versions` maps each message to its number of versions, counted from 0.
    """
    width = max(len(name) for name in all_versions)
    columns = range(max(all_versions.values()))
    head = " ".join(f"{version:2}" for version in columns)
    rows = [f"{'':{width}} {head}"]
    for name, count in sorted(all_versions.items()):
        known = set(covered.get(name, ()))
        marks = " ".join(
            " x" if version in known else " ." if version < count else "  " for version in columns
        )
        rows.append(f"{name:{width}} {marks}".rstrip())
    confirmed = sum(len(set(versions)) for versions in covered.values())
    total = sum(all_versions.values())
    heading = f"{title}: {confirmed} of {total} (x confirmed, . unknown to it)"
    return "\n".join([heading, *rows]) + "\n"


def check_table(file: str, text: str) -> None:
    """Compare with tests/golden/`file`, so that coverage cannot get lost unseen."""
    print(text)  # noqa: T201 - `pytest -s` shows the table
    golden = GOLDEN / file
    expected = golden.read_text("utf-8") if golden.exists() else "(no such file)"
    assert text == expected, f"if the change is meant, write this to {golden}:\n{text}"
