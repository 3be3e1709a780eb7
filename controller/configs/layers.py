"""Where a config's value comes from: layers above each other, and names that stand for one thing.

Source: Kafka 3.9, ConfigHelper.configSynonyms, DynamicBrokerConfig.brokerConfigSynonyms,
KafkaConfig.logRetentionTimeMillis and its like.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import IntEnum

from klamm.controller.configs.broker_keys import (
    DYNAMIC,
    LOG_FLUSH_MS,
    LOG_RETENTION_MS,
    SHOWN,
    THROTTLES,
    TIMES,
    base_name,
    definition,
)
from klamm.controller.store.port import Znode
from klamm.controller.store.transaction import Found
from klamm.controller.znodes.config import ConfigZnode, decode_config


class Source(IntEnum):
    """Where a value was set, with the numbers that DescribeConfigs shows."""

    TOPIC = 1
    BROKER = 2
    BROKER_DEFAULT = 3
    STATIC = 4
    DEFAULT = 5


@dataclass(frozen=True, slots=True)
class Synonym:
    """A name under which a config was set, or has a default; a secret's value is None."""

    name: str
    value: str | None
    source: Source


#: No number of any type is longer.
_MOST_DIGITS = 20

#: Names of one time in several units: each of them is looked up under all.
_UNITS: Mapping[str, tuple[str, ...]] = {
    name: tuple(unit for unit, _ in units)
    for main, units in TIMES.items()
    for name in ((main,) if main == LOG_FLUSH_MS else (unit for unit, _ in units))
}


@dataclass(frozen=True, slots=True)
class BrokerConfigs:
    """The layers of one node's configs: its own, all brokers', and those it was started with."""

    own: Mapping[str, str] = field(default_factory=dict)
    default: Mapping[str, str] = field(default_factory=dict)
    static: Mapping[str, str] = field(default_factory=dict)

    def synonyms(self, name: str, sensitive: bool) -> tuple[Synonym, ...]:
        """Return all places where a config is set, the one that counts first.

        What stands before the config's own name is left out, as Kafka does.
        """
        found = list(self._lookup(_names(name), sensitive))
        while found and found[0].name != name:
            del found[0]
        return tuple(found)

    def value(self, name: str) -> str | None:
        """Return the value that counts, as it is shown; None if there is none."""
        if name in TIMES:
            return self._time(name)
        key = definition(name)
        raw = self._raw(name)
        return raw if raw is None or key is None else key.shown(raw)

    def _raw(self, name: str) -> str | None:
        key = definition(name)
        for layer in (self.own, self.default, self.static):
            for known in dict.fromkeys((name, base_name(name))):
                if known in layer:
                    return layer[known]
        return key.default if key else None

    def _time(self, name: str) -> str | None:
        """Return a time, which may be given in other units; below zero is without bound."""
        for unit, factor in TIMES[name]:
            raw, key = self._raw(unit), definition(unit)
            if raw is not None and key is not None:
                shown = key.shown(raw)
                # What is no number, or one without end, is shown as it is stored.
                if factor == 1 or not shown.lstrip("-").isdecimal() or len(shown) > _MOST_DIGITS:
                    return shown
                time = int(shown) * factor
                return str(max(time, -1) if name == LOG_RETENTION_MS else time)
        return None

    def _lookup(self, names: tuple[str, ...], sensitive: bool) -> Iterator[Synonym]:
        layers = (
            (self.own, Source.BROKER),
            (self.default, Source.BROKER_DEFAULT),
            (self.static, Source.STATIC),
            (_defaults(names), Source.DEFAULT),
        )
        for layer, source in layers:
            for name in names:
                if name in layer:
                    yield Synonym(name, None if sensitive else layer[name], source)


def _names(name: str) -> tuple[str, ...]:
    base = base_name(name)
    return (name, base) if base != name else _UNITS.get(name, (name,))


def _defaults(names: tuple[str, ...]) -> dict[str, str]:
    """Return the defaults that are shown: rates of throttles have one that is not."""
    known = [SHOWN.get(name) or DYNAMIC.get(name) for name in names]
    keys = [key for key in known if key is not None and key not in THROTTLES]
    return {key.name: key.default for key in keys if key.default is not None}


def config_of(found: Found) -> ConfigZnode:
    """Return what a config znode holds, nothing if there is none; raises ZnodeError."""
    return decode_config(found.data, found.path) if isinstance(found, Znode) else ConfigZnode()
