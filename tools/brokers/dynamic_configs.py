"""How a broker learns configs that change while it runs: from notices, never from requests.

Every change of a config znode is told by a sequential node in /config/changes. A broker reads its
own configs and the cluster's default ones at its start, a topic's when it first hosts a partition
of it, and each again when a notice names it. After a lost connection it reads all of them again.
Sources: Kafka 3.9, DynamicConfigManager, ZkNodeChangeNotificationListener.

Left out: the removal of notices older than 15 minutes, which every real broker and node sees to.
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
from klamm.tools.brokers.throttles import Throttles, quotas, topic_settings


class DynamicConfigs:
    """What one broker has read; `throttles` is kept up to date.

    A znode that cannot be read as configs changes nothing: what was known before goes on.
    """

    def __init__(self, calls: Calls, broker: int) -> None:
        self._calls = calls
        self._broker = broker
        self._own = ConfigEntity("brokers", str(broker))
        self._default = ConfigEntity("brokers", None)
        self._rates: dict[ConfigEntity, Mapping[str, str]] = {}
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
        """Read the configs of a topic that is hosted from now on, if they are not known."""
        if topic not in self.throttles.topics:
            self.throttles.topics[topic] = topic_settings({}, self._broker)
            self._read(ConfigEntity("topics", topic))

    def forgets(self, topic: str) -> None:
        """Drop the configs of a topic that is hosted no more."""
        self.throttles.topics.pop(topic, None)

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
            for topic in self.throttles.topics:
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
        hosted = entity.kind == "topics" and entity.name in self.throttles.topics
        if hosted or entity in (self._own, self._default):
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
            if throttles.topics.get(topic) in (None, settings):
                return None
            throttles.topics[topic] = settings
            return entity
        self._rates[entity] = config
        rates = quotas(self._rates.get(self._own, {}), self._rates.get(self._default, {}))
        if rates == throttles.quotas:
            return None
        throttles.quotas = rates
        return entity
