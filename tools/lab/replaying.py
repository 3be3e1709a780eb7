"""Trace files: what a run needs to be done again elsewhere, as a text that can be read and edited.

    # klamm lab script 1
    scope: failover
    variant: F33
    seed: 17
    found: I1 at step 41: n1 wrote /brokers/topics/t in epoch 2 of n2

    n1 turn
    crash n2 in its turn
      effects done: 3

First a few words about the run, then a line per action, indented below it what was chosen of its
details. `variant`, `seed` and `found` may be missing; `seed` and `found` are for the reader alone.
Lines that begin with # are comments. An action that is not possible at its place is passed over.
"""

from dataclasses import dataclass

FIRST_LINE = "# klamm lab script 1"
_KEYS = ("scope", "variant", "seed", "found")


class ScriptError(ValueError):
    """A file is no script of the lab; the text says where and why."""


@dataclass(frozen=True, slots=True)
class Script:
    """A run to be done again: of which scope, with which variant ("" is the product), and how."""

    scope: str
    lines: tuple[str, ...]
    variant: str = ""
    seed: str = ""
    found: str = ""


def written(script: Script) -> str:
    """Return the text of a script."""
    words = ((key, getattr(script, key)) for key in _KEYS)
    head = [f"{key}: {word}" for key, word in words if word]
    return "\n".join((FIRST_LINE, *head, "", *script.lines, ""))


def read(text: str, name: str) -> Script:
    """Read a script from the text of the file `name`; raises ScriptError."""
    first, *lines = text.splitlines() or [""]
    if first.rstrip() != FIRST_LINE:
        raise ScriptError(f"{name}: the first line is {first[:60]!r}, not {FIRST_LINE!r}")
    words: dict[str, str] = {}
    while lines and lines[0].strip():
        line = lines.pop(0)
        key, colon, word = line.partition(":")
        if line.startswith("#"):
            continue
        if not colon or key not in _KEYS:
            known = ", ".join(_KEYS)
            raise ScriptError(f"{name}: {line!r} is none of {known}; an empty line ends the head")
        words[key] = word.strip()
    if "scope" not in words:
        raise ScriptError(f"{name}: it names no scope; add a line such as 'scope: failover'")
    kept = tuple(line.rstrip() for line in lines if line.strip() and not line.startswith("#"))
    return Script(lines=kept, **words)
