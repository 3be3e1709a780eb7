"""AlterConfigs and IncrementalAlterConfigs of one topic or broker: changes to what is stored.

Source: Kafka 3.9, ConfigAdminManager.prepareIncrementalConfigs, ZkAdminManager.
incrementalAlterConfigs, AdminZkClient.changeEntityConfig. Kafka writes the config znode and its
notice one after the other and may lose the notice; here both are in one multi.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import IntEnum

from klamm.controller.configs.broker_keys import definition
from klamm.controller.configs.definition import Definition
from klamm.controller.configs.describe import broker_reads, layers
from klamm.controller.configs.layers import config_of
from klamm.controller.configs.topic_keys import TOPIC_KEYS
from klamm.controller.configs.validation import (
    InvalidConfigsError,
    RejectedValueError,
    refuse_passwords,
    validate_broker,
    validate_cluster_wide,
    validate_topic,
)
from klamm.controller.configs.values import InvalidValueError, Kind
from klamm.controller.core.ops import ANY_VERSION, Check, Create, Op, SetData
from klamm.controller.core.results import Done, Fault, Refusal, Result
from klamm.controller.store.port import Missing, Read, ReadData, Znode
from klamm.controller.store.transaction import Decision, Found, Note
from klamm.controller.znodes import paths
from klamm.controller.znodes.config import (
    ConfigEntity,
    ConfigZnode,
    encode_config,
    encode_config_change,
)


class Operation(IntEnum):
    """What to do with a config, with the numbers of the request."""

    SET = 0
    DELETE = 1
    APPEND = 2
    SUBTRACT = 3


@dataclass(frozen=True, slots=True)
class Change:
    """One config's change; only a delete has no value."""

    name: str
    operation: Operation
    value: str | None = None


def alter(
    configs: Mapping[str, str], changes: Iterable[Change], keys: Mapping[str, Definition | None]
) -> dict[str, str]:
    """Return the configs after the changes; `keys` has the definitions of those changed.

    Raises InvalidConfigsError for lists' operations on what is no list.
    """
    altered = dict(configs)
    for change in changes:
        name, value = change.name, change.value or ""
        match change.operation:
            case Operation.SET:
                altered[name] = value
            case Operation.DELETE:
                altered.pop(name, None)
            case Operation.APPEND:
                present = _list(name, "append", altered, keys)
                known = frozenset(present)  # lists of throttled replicas may have 100,000 items
                new = [item for item in value.split(",") if item not in known]
                altered[name] = ",".join([*present, *new])
            case Operation.SUBTRACT:
                present = _list(name, "subtract", altered, keys)
                altered[name] = ",".join(_without(present, value.split(",")))
    return altered


def _without(items: Iterable[str], gone: Iterable[str]) -> Iterator[str]:
    """Yield the items less the first ones that are gone, as Scala's diff does."""
    due = Counter(gone)
    for item in items:
        if due[item]:
            due[item] -= 1
        else:
            yield item


def _list(
    name: str, verb: str, configs: Mapping[str, str], keys: Mapping[str, Definition | None]
) -> list[str]:
    """Return the items of a list as it is now, or by default."""
    key = keys.get(name)
    if key is None:
        raise InvalidConfigsError(f"Unknown config name: {name}")
    if key.kind is not Kind.LIST:
        raise InvalidConfigsError(f"Config value {verb} is not allowed for config key: {name}")
    text = configs.get(name, key.default or "")
    return text.split(",") if text else []


@dataclass(frozen=True, slots=True)
class AlterTopic:
    """Changes a topic's configs, of which node `node_id` checks what they mean together.

    With `replace` nothing but what the changes set is left.
    """

    topic: str
    changes: tuple[Change, ...]
    node_id: int
    static: Mapping[str, str] = field(default_factory=dict)
    validate_only: bool = False
    replace: bool = False

    @property
    def reads(self) -> tuple[Read, ...]:
        """The topic, its config znode, and the node's."""
        entity = ConfigEntity("topics", self.topic)
        return (
            ReadData(paths.topic(self.topic)),
            ReadData(entity.path),
            *broker_reads(self.node_id),
        )

    def decide(self, found: tuple[Found, ...]) -> Decision[Result]:
        """Fold the changes in; raises ZnodeError, and then nothing is overwritten."""
        topic, present, *broker = found
        if isinstance(topic, Missing):
            text = f"Topic '{self.topic}' does not exist."
            return Decision(Refusal(Fault.UNKNOWN_TOPIC_OR_PARTITION, text))
        znode = config_of(present)
        inherited = layers(broker, self.static)
        try:
            altered = alter(_kept(znode, self.replace), self.changes, dict(TOPIC_KEYS))
            validate_topic(altered, inherited)
        except InvalidConfigsError as error:
            return Decision(Refusal(Fault.INVALID_CONFIG, str(error)))
        except (InvalidValueError, RejectedValueError) as error:
            return Decision(_invalid_value("TOPIC", self.topic, error))
        if self.validate_only:
            return Decision(Done())
        # Deleted meanwhile, a topic must not leave configs behind for the next one of its name.
        exists = Check(paths.topic(self.topic), ANY_VERSION)
        entity = ConfigEntity("topics", self.topic)
        ops = (exists, *_writes(entity, present, znode, altered))
        return Decision(Done(), ops, note=_note(entity, znode.config, altered))


@dataclass(frozen=True, slots=True)
class AlterBroker:
    """Changes the configs of broker `broker_id`, or, if it is None, what holds for all of them.

    With `replace` nothing but what the changes set is left.
    """

    broker_id: int | None
    changes: tuple[Change, ...]
    validate_only: bool = False
    replace: bool = False

    @property
    def entity(self) -> ConfigEntity:
        """Whose configs they are."""
        return ConfigEntity("brokers", None if self.broker_id is None else str(self.broker_id))

    @property
    def reads(self) -> tuple[Read, ...]:
        """The config znode."""
        return (ReadData(self.entity.path),)

    def decide(self, found: tuple[Found, ...]) -> Decision[Result]:
        """Fold the changes in; raises ZnodeError, and then nothing is overwritten.

        A value that is none is INVALID_REQUEST here and INVALID_CONFIG for a topic: KAFKA-13609.
        What holds for the whole cluster alone is klamm's own, and INVALID_CONFIG.
        """
        (present,) = found
        znode = config_of(present)
        keys = {change.name: definition(change.name) for change in self.changes}
        try:
            altered = alter(_kept(znode, self.replace), self.changes, keys)
            validate_cluster_wide(altered, whole_cluster=self.broker_id is None)
        except InvalidConfigsError as error:
            return Decision(Refusal(Fault.INVALID_CONFIG, str(error)))
        try:
            validate_broker(altered, whole_cluster=self.broker_id is None)
            refuse_passwords(
                change.name for change in self.changes if change.operation is not Operation.DELETE
            )
        except (InvalidConfigsError, InvalidValueError) as error:
            return Decision(Refusal(Fault.INVALID_REQUEST, str(error)))
        except RejectedValueError as error:
            return Decision(_invalid_value("BROKER", self.entity.name or "", error))
        if self.validate_only:
            return Decision(Done())
        ops = _writes(self.entity, present, znode, altered)
        return Decision(Done(), ops, note=_note(self.entity, znode.config, altered))


def _kept(znode: ConfigZnode, replace: bool) -> Mapping[str, str]:
    """Return what the changes are folded into."""
    return {} if replace else znode.config


def _invalid_value(kind: str, name: str, error: ValueError) -> Refusal:
    resource = f"ConfigResource(type={kind}, name='{name}')"
    return Refusal(Fault.INVALID_CONFIG, f"Invalid config value for resource {resource}: {error}")


def _note(entity: ConfigEntity, before: Mapping[str, str], after: Mapping[str, str]) -> Note:
    """Name what is changed, and no value: that may be a secret."""
    changed = sorted(name for name in after if after[name] != before.get(name))
    gone = sorted(before.keys() - after.keys())
    told = [
        f"{verb} {', '.join(names)}" for verb, names in (("set", changed), ("unset", gone)) if names
    ]
    about = f"{entity.kind}/{entity.name or '<default>'}"
    topic = (entity.name or "") if entity.kind == "topics" else ""
    return Note("config-altered", f"{about}: {'; '.join(told) or 'as before'}", topic)


def _writes(
    entity: ConfigEntity, present: Found, znode: ConfigZnode, configs: Mapping[str, str]
) -> tuple[Op, ...]:
    """Write an entity's configs on condition of what was read, and tell every broker."""
    data = encode_config(ConfigZnode(configs, znode.extra))
    write: Op = Create(entity.path, data)
    if isinstance(present, Znode):
        write = SetData(entity.path, data, present.version)
    notice = Create(paths.CONFIG_CHANGE_PREFIX, encode_config_change(entity), sequential=True)
    return write, notice
