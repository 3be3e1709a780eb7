"""klamm's tool and Java's of any release, run with the same words and compared line by line."""

from collections.abc import Sequence

from peers.java_tools.tools import JavaTools, Run
from peers.kafka_jars import REASSIGN_PARTITIONS
from reassign.tool import Tool

from klamm.tools.reassign.texts import NO_MOVES_ACTIVE

FILE = "--reassignment-json-file"


class SideBySide:
    """Both tools for one cluster; `option` is the one that takes the addresses."""

    def __init__(
        self, tools: JavaTools, bootstrap: str, option: str = "--bootstrap-server"
    ) -> None:
        self._tools = tools
        self._server = (option, bootstrap)
        self.klamm = Tool(bootstrap, option)

    def java(self, *words: str) -> Run:
        """Run Java's tool alone."""
        return self._tools.run(REASSIGN_PARTITIONS, *self._server, *words)

    def both(self, *words: str) -> list[str]:
        """Run both with the same words; return what both print."""
        return self._compare(self.java(*words), words, {})

    def alike(self, topics: Sequence[str], files: Sequence[str], *words: str) -> list[str]:
        """Run Java's tool with the first file and klamm's with the second; return what both print.

        The files are the same plan for the first topic and for the second.
        """
        theirs = self.java(*words, FILE, files[0])
        return self._compare(theirs, (*words, FILE, files[1]), {topics[1]: topics[0]})

    def _compare(self, theirs: Run, words: Sequence[str], names: dict[str, str]) -> list[str]:
        mine = self.klamm(*words)
        lines = mine.lines
        for name, other in names.items():
            lines = [line.replace(name, other) for line in lines]
        expected = tidied(theirs.lines)
        assert lines == expected, f"{lines} instead of {expected}: {mine.err} {theirs.err}"
        assert mine.status == theirs.status
        return lines


def tidied(lines: Sequence[str]) -> list[str]:
    """Put brokers in order, which Java prints as they are hashed, and mend a lost line end."""
    found = []
    for line in lines:
        if line.startswith(NO_MOVES_ACTIVE) and line != NO_MOVES_ACTIVE:
            found.append(NO_MOVES_ACTIVE)
            line = line.removeprefix(NO_MOVES_ACTIVE)
        head, said, brokers = line.partition(" on brokers ")
        ids = ",".join(sorted(brokers.split(","), key=int)) if said else ""
        found.append(head + said + ids)
    return found
