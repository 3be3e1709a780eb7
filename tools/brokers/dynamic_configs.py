"""How a broker learns configs that change while it runs: from notices, never from requests.

Every change of a config znode is told by a sequential node in /config/changes. A broker reads its
own configs and the cluster's default ones at its start, and whatever a notice names, so that a
topic's throttle holds before its first partition arrives. Configs of a topic that it knows nothing
of are read when it first hosts a partition. After a lost connection it reads all of them again.
Sources: Kafka 3.9, DynamicConfigManager, ZkNodeChangeNotificationListener.

Left out: reading the configs of all topics at the start, for a cluster's worth of brokers in one
process; the removal of notices older than 15 minutes, which every real broker and node sees to.
"""

from collections.abc import Mapping

from klamm.controller.store.port import (
    Children,
    ReadChildren,
    ReadData,
    ReadDone,
    ReadResult,
    WatchDone,
    Watched,
    Znode,
)
from klamm.controller.znodes import ZnodeError, decode_config, decode_config_change, paths
from klamm.controller.znodes.config import ConfigEntity
from klamm.tools.brokers.calls import Calls, Done
from klamm.tools.brokers.throttles import (
    UNSET,
    Throttles,
    least_in_sync,
    quotas,
    topic_settings,
)


class DynamicConfigs:
    """What one broker has read; `throttles` is kept up to date.

    A znode that cannot be read as configs changes nothing: what was known before goes on.
    """

    def __init__(self, calls: Calls, broker: int) -> None:
        self._calls = calls
        self._broker = broker
        self._own = ConfigEntity("brokers", str(broker))
        self._default = ConfigEntity("brokers", None)
        self._of_brokers: dict[ConfigEntity, Mapping[str, str]] = {}
        self._hosted: set[str] = set()
        self._reads: dict[int, ConfigEntity] = {}
        self._notices: set[int] = set()
        self._arm = 0
        self._look = 0
        self._seen: frozenset[str] | None = None
        self.throttles = Throttles()

    def connected(self) -> None:
        """Watch for notices under a new connection, then read everything once."""
        self._seen = None
        self._arm = self._calls.watch(paths.CONFIG_CHANGES)

    def hosts(self, topic: str) -> None:
        """Read the configs of a topic that is hosted from now on: none was told when it was new."""
        if topic not in self._hosted:
            self._hosted.add(topic)
            self._read(ConfigEntity("topics", topic))

    def forgets(self, topic: str) -> None:
        """Note that a topic is hosted no more; what is known of it holds if it comes back."""
        self._hosted.discard(topic)

    def watched(self, event: Watched) -> None:
        """Look for new notices."""
        if event.path == paths.CONFIG_CHANGES:
            self._look = self._calls.read(ReadChildren(paths.CONFIG_CHANGES))

    def stored(self, done: Done) -> ConfigEntity | None:
        """Take a settled answer; return whose settings it has changed, if any."""
        match done:
            case WatchDone(request=self._arm):
                self._look = self._calls.read(ReadChildren(paths.CONFIG_CHANGES))
            case ReadDone(request=self._look, outcome=(Children(names=names),)):
                self._noticed(frozenset(names))
            case ReadDone(request=request, outcome=(result,)) if request in self._notices:
                self._notices.discard(request)
                self._notice(result)
            case ReadDone(request=request, outcome=(result,)) if request in self._reads:
                return self._take(self._reads.pop(request), result)
            case _:
                pass  # somebody else's answer
        return None

    def _noticed(self, names: frozenset[str]) -> None:
        """Read new notices; after a new connection, read whatever they may have been about."""
        if self._seen is None:
            for entity in (self._own, self._default):
                self._read(entity)
            for topic in sorted(self._hosted | self.throttles.topics.keys()):
                self._read(ConfigEntity("topics", topic))
        else:
            for name in sorted(names - self._seen):
                path = f"{paths.CONFIG_CHANGES}/{name}"
                self._notices.add(self._calls.read(ReadData(path)))
        self._seen = names

    def _notice(self, result: ReadResult) -> None:
        if not isinstance(result, Znode):
            return
        try:
            entity = decode_config_change(result.data, result.path)
        except ZnodeError:
            return
        if entity.kind == "topics" or entity in (self._own, self._default):
            self._read(entity)

    def _read(self, entity: ConfigEntity) -> None:
        self._reads[self._calls.read(ReadData(entity.path))] = entity

    def _take(self, entity: ConfigEntity, result: ReadResult) -> ConfigEntity | None:
        """Fold in what an entity's configs are now; return it if that changes a setting."""
        try:
            data = result.data if isinstance(result, Znode) else None
            config = decode_config(data, entity.path).config
        except ZnodeError:
            return None
        throttles = self.throttles
        if entity.kind == "topics":
            topic = entity.name or ""
            settings = topic_settings(config, self._broker)
            before = throttles.topics.pop(topic, UNSET)
            if settings != UNSET:
                throttles.topics[topic] = settings
            return None if settings == before else entity
        self._of_brokers[entity] = config
        layers = self._of_brokers.get(self._own, {}), self._of_brokers.get(self._default, {})
        found = quotas(*layers), least_in_sync(*layers)
        if found == (throttles.quotas, throttles.least_in_sync):
            return None
        throttles.quotas, throttles.least_in_sync = found
        return entity
