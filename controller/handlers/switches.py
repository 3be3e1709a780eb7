"""What a node serves only if it is told to: no release of Kafka has it, and no client expects it.

Behind a switch that is off, a key or a version of one is not advertised, and a request of it closes
the connection as any unsupported one does.
"""

from collections.abc import Collection, Mapping
from enum import Enum
from types import MappingProxyType


class Switch(Enum):
    """A property of a node, false by default, by the name that it has."""

    DESCRIBE = "klamm.describe.reassignments.enable"
    LIST_V1 = "klamm.kip435.list.v1.enable"
    ALTER = "klamm.kip179.alter.enable"
    ASSIGN = "klamm.kip179.assign.enable"


#: What each of them switches on: keys that are klamm's own, or klamm's own version of Kafka's.
KEYS: Mapping[Switch, tuple[int, ...]] = MappingProxyType(
    {
        Switch.DESCRIBE: (17904,),
        Switch.LIST_V1: (46,),
        Switch.ALTER: (17902, 17903),
        Switch.ASSIGN: (17900, 17901, 17905),
    }
)

#: Keys of which the newest version is klamm's own.
EXTENDED = frozenset(KEYS[Switch.LIST_V1])

#: Keys that no release of Kafka has.
PRIVATE = frozenset(key for keys in KEYS.values() for key in keys) - EXTENDED

#: What a simulated broker serves as well, as the leader of partitions.
OF_BROKERS = frozenset({17903})


def switched_on(properties: Mapping[str, str]) -> frozenset[Switch]:
    """Return the switches that properties set to true; they have been read before, so are lawful.

    >>> sorted(each.name for each in switched_on({"klamm.kip179.alter.enable": " True"}))
    ['ALTER']
    """
    return frozenset(
        switch for switch in Switch if properties.get(switch.value, "").strip().lower() == "true"
    )


def keys_of(switches: Collection[Switch]) -> frozenset[int]:
    """Return the keys that these switch on, in all their versions."""
    return frozenset(key for switch in switches for key in KEYS[switch])
