"""What may be set: every name and value, and what they mean together.

Source: Kafka 3.9, LogConfig.validate, DynamicBrokerConfig.validateConfigs.
"""

from collections.abc import Iterable, Mapping

from klamm.controller.configs.broker_keys import (
    DYNAMIC,
    PER_BROKER,
    PER_LISTENER,
    STATIC_NAMES,
    base_name,
    definition,
)
from klamm.controller.configs.cluster_wide import CLUSTER_WIDE
from klamm.controller.configs.layers import BrokerConfigs
from klamm.controller.configs.topic_keys import (
    MAX_COMPACTION_LAG,
    MIN_COMPACTION_LAG,
    REMOTE_COPY_DISABLE,
    REMOTE_DELETE_ON_DISABLE,
    REMOTE_STORAGE,
    TOPIC_KEYS,
)
from klamm.controller.configs.values import InvalidValueError, Kind

NO_BROKER = BrokerConfigs()


class InvalidConfigsError(ValueError):
    """Configs that are refused as a whole, for a name or for what they mean together."""


class RejectedValueError(ValueError):
    """A value that is well formed and cannot be had here."""


def validate_topic(configs: Mapping[str, str], broker: BrokerConfigs = NO_BROKER) -> None:
    """Check all configs that a topic would have; what it does not set comes from the broker.

    Raises InvalidConfigsError, InvalidValueError or RejectedValueError.
    """
    for name in configs:
        if name not in TOPIC_KEYS:
            raise InvalidConfigsError(f"Unknown topic config name: {name}")
    values = {name: key.read(configs[name]) for name, key in TOPIC_KEYS.items() if name in configs}
    lags = [
        values.get(name, _inherited(name, broker))
        for name in (MIN_COMPACTION_LAG, MAX_COMPACTION_LAG)
    ]
    least, most = lags
    if isinstance(least, int) and isinstance(most, int) and least > most:
        raise InvalidConfigsError(
            f"conflict topic config setting {MIN_COMPACTION_LAG} ({least}) >"
            f" {MAX_COMPACTION_LAG} ({most})"
        )
    if values.get(REMOTE_DELETE_ON_DISABLE) or values.get(REMOTE_COPY_DISABLE):
        raise InvalidConfigsError(
            f"It is invalid to set `{REMOTE_DELETE_ON_DISABLE}` or `{REMOTE_COPY_DISABLE}`"
            " under Zookeeper's mode."
        )
    if values.get(REMOTE_STORAGE):
        raise RejectedValueError(
            "Tiered Storage functionality is disabled in the broker. "
            "Topic cannot be configured with remote log storage."
        )


def check_topic(configs: Mapping[str, str], broker: BrokerConfigs = NO_BROKER) -> str | None:
    """Say why a topic cannot be created with these configs, for INVALID_CONFIG; None if it can.

    >>> check_topic({"retention.ms": "-2"})
    'Invalid value -2 for configuration retention.ms: Value must be at least -1'
    >>> check_topic({"retention.ms": "-1"})
    """
    try:
        validate_topic(configs, broker)
    except ValueError as error:
        return str(error)
    return None


def validate_broker(configs: Mapping[str, str], *, whole_cluster: bool) -> None:
    """Check all dynamic configs that a broker, or all of them, would have.

    Names that nobody knows are let through, as Kafka does: they may be a plugin's. Raises
    InvalidConfigsError or InvalidValueError.
    """
    _refuse(
        (name for name in configs if name in STATIC_NAMES),
        "Cannot update these configs dynamically",
    )
    _refuse(
        (name for name in configs if name in PER_LISTENER),
        "These security configs can be dynamically updated only per-listener using the listener"
        " prefix",
        "HashSet",
    )
    for name, text in configs.items():
        key = DYNAMIC.get(base_name(name))
        if key is not None:
            key.read(text)
    if whole_cluster:
        _refuse(
            (name for name in configs if base_name(name) in PER_BROKER),
            "Cannot update these configs at default cluster level, broker id must be specified",
        )


def validate_cluster_wide(configs: Mapping[str, str], *, whole_cluster: bool) -> None:
    """Check what holds for the whole cluster alone, among the configs that a broker would have.

    Raises InvalidConfigsError.
    """
    named = sorted(name for name in configs if name in CLUSTER_WIDE)
    if named and not whole_cluster:
        text = f"Cannot update these configs at broker level: [{', '.join(named)}]"
        raise InvalidConfigsError(text)
    for name in named:
        try:
            CLUSTER_WIDE[name].read(configs[name])
        except InvalidValueError as error:
            raise InvalidConfigsError(str(error)) from error


def refuse_passwords(names: Iterable[str]) -> None:
    """Refuse to write passwords down: Kafka encrypts them with a secret that klamm has not.

    Raises RejectedValueError, in Kafka's words for a broker that has none either.
    """
    for name in names:
        key = definition(name)
        if key is not None and key.kind is Kind.PASSWORD:
            raise RejectedValueError("Password encoder secret not configured")


def _refuse(names: Iterable[str], why: str, collection: str = "Set") -> None:
    """Refuse names, if there are any, in the form in which Scala prints its collections."""
    refused = sorted(names)
    if refused:
        raise InvalidConfigsError(f"{why}: {collection}({', '.join(refused)})")


def _inherited(name: str, broker: BrokerConfigs) -> object:
    key = TOPIC_KEYS[name]
    value = broker.value(key.synonym) if key.synonym else key.default
    try:
        return key.read(value) if value is not None else None
    except InvalidValueError:
        return None  # the broker's own matter, and no fault of the topic's
