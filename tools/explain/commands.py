"""The exact words to type against what was found."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from klamm.controller.configs.throttle_keys import LOG_DIR_RATE
from klamm.tools.admin.names import TopicPartition


@dataclass(frozen=True, slots=True)
class Commands:
    """Command lines for one cluster; `server` and `config` are what ours was told of it.

    Those of Kafka's own tools are named where klamm has none of its own.
    """

    server: str = "HOST:PORT"
    config: str | None = None

    def cancel(self, name: TopicPartition, goal: Sequence[int]) -> str:
        """Take a move back, and leave all throttles."""
        return self._reassign(["--cancel", "--preserve-throttles"], name, goal)

    def throttle(self, name: TopicPartition, goal: Sequence[int], rate: int) -> str:
        """Give a move that runs another throttle."""
        words = ["--execute", "--additional", "--throttle", str(rate)]
        return self._reassign(words, name, goal)

    def sweep(self) -> str:
        """See throttles that nothing needs any more."""
        return f"klamm reassign{self._connection()} --sweep"

    def log_dir_rate(self, broker: int, rate: int) -> str:
        """Let a broker copy faster between its log directories."""
        return (
            f"kafka-configs{self._connection()} --alter --entity-type brokers"
            f" --entity-name {broker} --add-config {LOG_DIR_RATE}={rate}"
        )

    def limit(self, config: str, value: int) -> str:
        """Set a limit of the whole cluster."""
        return (
            f"kafka-configs{self._connection()} --alter --entity-type brokers --entity-default"
            f" --add-config {config}={value}"
        )

    def lift(self, config: str) -> str:
        """Take back a limit of the whole cluster."""
        return (
            f"kafka-configs{self._connection()} --alter --entity-type brokers --entity-default"
            f" --delete-config {config}"
        )

    def elect(self, name: TopicPartition, kind: str) -> str:
        """Elect a leader, `preferred` or `unclean`."""
        config = f" --admin.config {shlex.quote(self.config)}" if self.config else ""
        return (
            f"kafka-leader-election --bootstrap-server {shlex.quote(self.server)}{config}"
            f" --election-type {kind} --topic {name.topic} --partition {name.partition}"
        )

    def _reassign(self, words: Sequence[str], name: TopicPartition, goal: Sequence[int]) -> str:
        plan = {
            "version": 1,
            "partitions": [{"topic": name.topic, "partition": name.partition, "replicas": [*goal]}],
        }
        text = json.dumps(plan, separators=(",", ":"))
        return (
            f"echo {shlex.quote(text)} | klamm reassign{self._connection()} {' '.join(words)}"
            " --reassignment-json-file /dev/stdin"
        )

    def _connection(self) -> str:
        config = f" --command-config {shlex.quote(self.config)}" if self.config else ""
        return f" --bootstrap-server {shlex.quote(self.server)}{config}"
