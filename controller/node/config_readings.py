"""What a survey reads of configs: what holds for all brokers, and what topics need in sync.

How many replicas of a topic must be in sync counts only where moves are made in steps: without
limits the configs of topics are neither watched nor read. A znode that cannot be read leaves what
is known as it is, a value that is none is as good as not set; the journal is told of both.
"""

from collections.abc import Iterable, Iterator

from klamm.controller.configs.cluster_wide import NOT_SET, ClusterWide, min_isr_of
from klamm.controller.core.events import ConfigRead, Fact, LimitsRead, MinIsrRead, RetentionRead
from klamm.controller.core.pace import Limits
from klamm.controller.node.places import Place, locate
from klamm.controller.node.stale import Stale
from klamm.controller.node.topic_readings import not_shown
from klamm.controller.store.port import (
    Children,
    Missing,
    Read,
    ReadChildren,
    ReadData,
    ReadResult,
    Unreadable,
    Watch,
    Znode,
)
from klamm.controller.znodes import paths
from klamm.controller.znodes.config import ConfigZnode, decode_config
from klamm.controller.znodes.errors import ZnodeError

#: To be armed before the configs of all topics are read.
TOPIC_WATCH = Watch(paths.TOPIC_CONFIGS, recursive=True)


class ConfigReadings:
    """One survey's readings of configs, with `remarks` on values that do not count.

    `static` holds where nothing is stored, `limits` are those that hold so far.
    """

    def __init__(
        self, stale: Stale, static: ClusterWide = NOT_SET, limits: Limits = NOT_SET.limits
    ) -> None:
        self.faults: list[ZnodeError] = []
        self.remarks: list[str] = []
        #: The configs of all topics are read, so they must be watched.
        self.of_all_topics = False
        self._static = static
        self._limits = limits
        self._anew = stale.topic_configs or limits.none
        #: What holds by what was read; None if that was not read.
        self._cluster: ClusterWide | None = None
        self._topics: dict[str, int | None] = {}
        #: Dataversions are told of those alone that were asked for by name.
        self._by_name = frozenset(stale.configs)
        self._versions: dict[str, int | None] = {}

    @property
    def unlimited(self) -> bool:
        """Tell whether there are no limits, once what was read is in force."""
        return (self._cluster.limits if self._cluster else self._limits).none

    def take(self, result: ReadResult) -> Iterable[Read]:
        """Take one result; return what must be read because of it. Raises ZnodeError."""
        place = locate(result.path).place
        if place is Place.CLUSTER_CONFIG:
            return self._take_cluster(result)
        match result:
            case Unreadable():
                raise not_shown(result)
            case Children(path=path, names=names) if place is Place.TOPIC_CONFIGS:
                return [ReadData(f"{path}/{name}") for name in names]
            case Missing() | Znode() if place is Place.TOPIC_CONFIG:
                self._take_topic(result)
        return []

    def _take_cluster(self, result: ReadResult) -> Iterable[Read]:
        """Take what holds for all brokers, with its faults, and read the topics' if need be.

        Limits may be in force by what the node was started with, whatever became of this.
        """
        try:
            self._cluster, wrong = self._static.overridden(_config_of(result).config)
            self.remarks.extend(f"{result.path}: {fault}" for fault in wrong)
        except ZnodeError as fault:
            self.faults.append(fault)
        if self.unlimited or not self._anew:
            return []
        self.of_all_topics = True
        return [ReadChildren(paths.TOPIC_CONFIGS)]

    def _take_topic(self, result: Znode | Missing) -> None:
        if result.path in self._by_name:
            self._versions[result.path] = result.version if isinstance(result, Znode) else None
        if self.unlimited:
            return
        config = _config_of(result).config
        topic = locate(result.path).topic
        self._topics[topic] = None
        try:
            self._topics[topic] = min_isr_of(config)
        except ValueError as error:
            self.remarks.append(f"{result.path}: {error}; it counts as not set")

    def facts(self) -> Iterator[Fact]:
        """What was found."""
        default = None
        if self._cluster is not None:
            yield LimitsRead(self._cluster.limits)
            yield RetentionRead(self._cluster.status_retention_ms)
            default = self._cluster.min_isr
        if not self.unlimited and (default is not None or self._topics or self.of_all_topics):
            yield MinIsrRead(default, self._topics, complete=self.of_all_topics)
        for path, version in self._versions.items():
            yield ConfigRead(path, version)


def _config_of(result: ReadResult) -> ConfigZnode:
    if isinstance(result, Unreadable):
        raise not_shown(result)
    return decode_config(result.data, result.path) if isinstance(result, Znode) else ConfigZnode()
