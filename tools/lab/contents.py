"""What a write changed in a znode: the fields of its JSON, before and after."""

from __future__ import annotations

import json
from collections.abc import Iterator

from klamm.tools.lab.events import Content, ZnodeChange

#: Stands for what is not there.
NONE = "-"


def changed(change: ZnodeChange) -> Iterator[tuple[str, str, str]]:
    """Yield each field that differs: its path, such as partitions.0, its value before and after.

    Data that is no JSON object is one field, ""; nothing is told of a znode that was removed.
    """
    if change.after is None:
        return
    old, new = _fields(change.before), _fields(change.after)
    for key in dict.fromkeys((*old, *new)):
        was, now = old.get(key, NONE), new.get(key, NONE)
        if was != now:
            yield key, was, now


def _fields(content: Content | None) -> dict[str, str]:
    """Return the leaves of a JSON object by their path, or all of what is none."""
    if content is None or content.data is None:
        return {}
    text = content.data.decode("utf-8", errors="backslashreplace")
    try:
        read = json.loads(text)
    except ValueError:
        return {"": text}
    if not isinstance(read, dict):
        return {"": text}
    return dict(_leaves(read, ""))


def _leaves(each: dict[str, object], above: str) -> Iterator[tuple[str, str]]:
    for key, held in each.items():
        if isinstance(held, dict):
            yield from _leaves(held, f"{above}{key}.")
        else:
            yield f"{above}{key}", json.dumps(held, separators=(",", ":"))
