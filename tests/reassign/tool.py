"""Runs of the tool: what they print, exit with and send."""

import io
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, TypeVar

from klamm.protocol.message import Message
from klamm.tools.reassign.run import main

M = TypeVar("M", bound=Message)

Moves = Mapping[tuple[str, int], Sequence[int]]

CURRENT = "Current partition replica assignment"
SAVE = "Save this to use as the --reassignment-json-file option during rollback"
STATUS = "Status of partition reassignment:"
CLEARING = "Clearing broker-level throttles on brokers 0,1,2,3,4,5,900"


class Sent(NamedTuple):
    """A request: the node that it went to, None of a bootstrap server."""

    node: int | None
    key: int
    version: int
    body: Message


@dataclass
class Run:
    """What a run came to."""

    status: int
    out: str
    err: str
    sent: list[Sent] = field(default_factory=list)

    @property
    def lines(self) -> list[str]:
        """Standard output, line by line."""
        return self.out.splitlines()

    def bodies(self, kind: type[M]) -> list[M]:
        """The requests of one kind, in order."""
        return [sent.body for sent in self.sent if isinstance(sent.body, kind)]

    def keys(self, *among: int) -> list[int]:
        """The keys of the requests of these kinds, in order."""
        return [sent.key for sent in self.sent if sent.key in among]


def run(*words: str, before: Callable[[int], None] = lambda key: None) -> Run:
    """Run the tool with just these words; `before` is told the key of each request beforehand."""
    out, err = io.StringIO(), io.StringIO()
    sent: list[Sent] = []

    def record(node: int | None, key: int, version: int, body: Message) -> None:
        before(key)
        sent.append(Sent(node, key, version, body))

    status = main(words, out, err, record)
    return Run(status, out.getvalue(), err.getvalue(), sent)


class Tool:
    """The tool for a cluster; `option` is the one that takes the addresses."""

    def __init__(self, bootstrap: str, option: str = "--bootstrap-server") -> None:
        self.bootstrap = bootstrap
        self._option = option

    def __call__(self, *words: str, before: Callable[[int], None] = lambda key: None) -> Run:
        return run(self._option, self.bootstrap, *words, before=before)


def plan(
    folder: Path, moves: Moves, log_dirs: Mapping[tuple[str, int], Sequence[str]] | None = None
) -> str:
    """Write what --reassignment-json-file takes; return its path."""
    entries = []
    for (topic, number), replicas in moves.items():
        entry = {"topic": topic, "partition": number, "replicas": list(replicas)}
        if log_dirs and (topic, number) in log_dirs:
            entry["log_dirs"] = list(log_dirs[topic, number])
        entries.append(entry)
    path = folder / f"plan{len(list(folder.iterdir()))}.json"
    path.write_text(json.dumps({"version": 1, "partitions": entries}))
    return str(path)


def shown(moves: Moves) -> str:
    """Return an assignment as the tool prints it."""
    entries = [
        {
            "topic": topic,
            "partition": number,
            "replicas": list(replicas),
            "log_dirs": ["any"] * len(replicas),
        }
        for (topic, number), replicas in sorted(moves.items())
    ]
    return json.dumps({"version": 1, "partitions": entries}, separators=(",", ":"))


def started(before: Moves, *lines: str) -> list[str]:
    """Return what --execute prints, given what is there before and what it says at last."""
    return [CURRENT, "", shown(before), "", SAVE, *lines]
