"""Kafka's command line tools, run one after the other in one Java process."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

from peers.kafka_jars import IN_KAFKA_4, KAFKA_4, PROJECT, kafka_java

PROGRAM = Path(__file__).with_name("ToolRunner.java")


class Run(NamedTuple):
    """What a tool came to."""

    status: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        """Standard output, line by line."""
        return self.out.splitlines()


class JavaTools:
    """A Java process while it is open; `run` is one run of a tool.

    `project` has the jars of a release (kafka_jars): 3.9.1 unless another is named.
    """

    def __init__(self, project: Path = PROJECT) -> None:
        self._project = project

    @property
    def is_4(self) -> bool:
        """Tell whether they are those of 4.1.1."""
        return self._project == KAFKA_4

    def __enter__(self) -> Self:
        command = kafka_java(str(PROGRAM), heap_mib=128, project=self._project)
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        try:
            self._process.communicate(timeout=10)
        finally:
            self._process.kill()
            self._process.wait()

    def run(self, main: str, *arguments: str) -> Run:
        """Run the main method of a class, by its name in 3.9; its own timeouts bound the time."""
        if self.is_4:
            main = IN_KAFKA_4.get(main, main)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        question = json.dumps({"main": main, "arguments": arguments})
        self._process.stdin.write(question + "\n")
        line = self._process.stdout.readline()
        assert line, f"Java ended within {main} {' '.join(arguments)}"
        return Run(**json.loads(line))
