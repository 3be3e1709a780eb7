"""What DescribeConfigs shows of a topic or a node, with where each value comes from.

Source: Kafka 3.9, ConfigHelper.createTopicConfigEntry, createBrokerConfigEntry.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from klamm.controller.configs.broker_keys import DYNAMIC, SHOWN, THROTTLES, definition
from klamm.controller.configs.layers import BrokerConfigs, Source, Synonym, config_of
from klamm.controller.configs.topic_keys import TOPIC_KEYS
from klamm.controller.configs.values import Kind
from klamm.controller.core.results import Fault, Refusal
from klamm.controller.store.port import Read, ReadData
from klamm.controller.store.transaction import Decision, Found
from klamm.controller.znodes.config import ConfigEntity
from klamm.controller.znodes.errors import ZnodeError


@dataclass(frozen=True, slots=True)
class Entry:
    """One config as it is; `synonyms` has the layer that counts first, a secret no value."""

    name: str
    value: str | None
    source: Source
    kind: Kind
    synonyms: tuple[Synonym, ...] = ()
    read_only: bool = False
    doc: str | None = None

    @property
    def sensitive(self) -> bool:
        """Tell whether nobody may see the value: a password, or a name that nobody knows."""
        return _sensitive(self.kind)


Entries = tuple[Entry, ...]


def describe_topic(configs: Mapping[str, str], broker: BrokerConfigs) -> tuple[Entry, ...]:
    """Return every config of a topic, set or not."""
    return tuple(_topic_entry(name, configs, broker) for name in TOPIC_KEYS)


def topic_values(
    configs: Mapping[str, str], broker: BrokerConfigs | None = None
) -> tuple[Entry, ...]:
    """Return what CreateTopics shows of a new topic's configs from version 5 on."""
    return describe_topic(configs, broker or BrokerConfigs())


def describe_broker(broker: BrokerConfigs) -> tuple[Entry, ...]:
    """Return the configs of a node: what it obeys, what topics inherit, and all that is set."""
    names = {**SHOWN, **broker.static, **broker.default, **broker.own}
    return tuple(_broker_entry(name, broker, Source) for name in sorted(names))


def describe_all_brokers(broker: BrokerConfigs) -> tuple[Entry, ...]:
    """Return the configs set for all brokers at once, and nothing else."""
    sources = (Source.BROKER_DEFAULT,)
    alone = BrokerConfigs(default=broker.default)
    return tuple(_broker_entry(name, alone, sources) for name in sorted(broker.default))


#: Kafka calls these read-only, though they are the very ones that are only ever set dynamically:
#: DynamicBrokerConfig.AllDynamicConfigs leaves quotas out.
_THROTTLE_RATES = frozenset(key.name for key in THROTTLES)


def _topic_entry(name: str, configs: Mapping[str, str], broker: BrokerConfigs) -> Entry:
    key = TOPIC_KEYS[name]
    synonyms = broker.synonyms(key.synonym, sensitive=False) if key.synonym else ()
    value = broker.value(key.synonym) if key.synonym else None
    if value is None:
        value = key.default
    if name in configs:
        value = key.shown(configs[name])
        synonyms = (Synonym(name, value, Source.TOPIC), *synonyms)
    return Entry(name, value, _source(synonyms), key.kind, synonyms, doc=key.doc)


def _broker_entry(
    name: str, broker: BrokerConfigs, sources: tuple[Source, ...] | type[Source]
) -> Entry:
    key = definition(name)
    kind = key.kind if key else Kind.UNKNOWN
    hidden = _sensitive(kind)
    found = broker.synonyms(name, hidden)
    synonyms = tuple(synonym for synonym in found if synonym.source in sources)
    value = None if hidden else _broker_value(name, broker)
    read_only = name not in DYNAMIC or name in _THROTTLE_RATES
    return Entry(
        name, value, _source(synonyms), kind, synonyms, read_only, key.doc if key else None
    )


def _broker_value(name: str, broker: BrokerConfigs) -> str | None:
    """Return a broker's value: of a time in several units its own, not what comes of them."""
    for synonym in broker.synonyms(name, sensitive=False):
        if synonym.value is not None:
            key = definition(name)
            return key.shown(synonym.value) if key else synonym.value
    return None


def _source(synonyms: tuple[Synonym, ...]) -> Source:
    return synonyms[0].source if synonyms else Source.DEFAULT


def _sensitive(kind: Kind) -> bool:
    return kind in (Kind.PASSWORD, Kind.UNKNOWN)


# --- as transactions that only read ---------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DescribeTopics:
    """Reads the configs of topics, and once those of node `node_id`, which they inherit."""

    topics: tuple[str, ...]
    node_id: int
    static: Mapping[str, str] = field(default_factory=dict)

    @property
    def reads(self) -> tuple[Read, ...]:
        """The node's config znodes, and the topics'."""
        topics = (ReadData(ConfigEntity("topics", topic).path) for topic in self.topics)
        return (*broker_reads(self.node_id), *topics)

    def decide(self, found: tuple[Found, ...]) -> Decision[tuple[Entries | Refusal, ...]]:
        """Show them, by topic; raises ZnodeError if the node's cannot be understood.

        A topic's that cannot be are its own matter.
        """
        broker = layers(found[:2], self.static)
        return Decision(tuple(_described(topic, broker) for topic in found[2:]))


def _described(topic: Found, broker: BrokerConfigs) -> Entries | Refusal:
    try:
        return describe_topic(config_of(topic).config, broker)
    except ZnodeError as fault:
        return Refusal(Fault.UNKNOWN_SERVER_ERROR, str(fault))


@dataclass(frozen=True, slots=True)
class DescribeBroker:
    """Reads the configs of node `node_id`, or those set for all brokers."""

    node_id: int
    static: Mapping[str, str] = field(default_factory=dict)
    whole_cluster: bool = False

    @property
    def reads(self) -> tuple[Read, ...]:
        """The node's config znode, and that of all brokers."""
        return broker_reads(self.node_id)

    def decide(self, found: tuple[Found, ...]) -> Decision[Entries]:
        """Show them; raises ZnodeError."""
        broker = layers(found, self.static)
        described = describe_all_brokers if self.whole_cluster else describe_broker
        return Decision(described(broker))


def broker_reads(node_id: int) -> tuple[Read, ...]:
    """The znodes of `layers`."""
    own, default = ConfigEntity("brokers", str(node_id)), ConfigEntity("brokers", None)
    return ReadData(own.path), ReadData(default.path)


def layers(found: Sequence[Found], static: Mapping[str, str]) -> BrokerConfigs:
    """Make a node's configs of the results of `broker_reads`; raises ZnodeError."""
    own, default = found
    return BrokerConfigs(config_of(own).config, config_of(default).config, static)
