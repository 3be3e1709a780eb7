"""One broker's log directories, as its clients ask for them: the port of requests 34 and 35."""

from collections.abc import Callable, Sequence

import trio

from klamm.controller.core.model import TopicPartition
from klamm.controller.handlers.log_dirs import LogDirectory
from klamm.protocol.error_codes import ErrorCode
from klamm.tools.brokers.cluster import Cluster, Effects


class OwnLogDirs:
    """The log directories of a broker that runs; `carry_out` makes what requests come of it."""

    def __init__(self, broker: int, cluster: Cluster, carry_out: Callable[[Effects], None]) -> None:
        self._broker = broker
        self._cluster = cluster
        self._carry_out = carry_out

    def describe(self) -> Sequence[LogDirectory]:
        """Return all directories as they are now."""
        self._carry_out(self._cluster.advance(trio.current_time()))
        return self._cluster.describe_log_dirs(self._broker)

    def move(self, name: TopicPartition, path: str) -> ErrorCode:
        """Have the partition's log move to this directory; NONE if that has begun, or is so."""
        code, effects = self._cluster.move_log(trio.current_time(), self._broker, name, path)
        self._carry_out(effects)
        return code
