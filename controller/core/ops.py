"""Conditional writes on znodes, as values: what a Commit asks of ZooKeeper.

A version is a znode's dataVersion as ZooKeeper counts it: 0 at creation, one more with each set.
"""

from dataclasses import dataclass

#: As the version of a check, set or delete: any version will do.
ANY_VERSION = -1


@dataclass(frozen=True, slots=True)
class Check:
    """Demand that a znode exists at this version; writes nothing."""

    path: str
    version: int


@dataclass(frozen=True, slots=True)
class Create:
    """Create a znode; `data` None is null data, which Kafka tells apart from empty bytes."""

    path: str
    data: bytes | None
    ephemeral: bool = False
    sequential: bool = False


@dataclass(frozen=True, slots=True)
class SetData:
    """Replace a znode's data if it is at this version."""

    path: str
    data: bytes | None
    version: int


@dataclass(frozen=True, slots=True)
class Delete:
    """Remove a znode without children if it is at this version."""

    path: str
    version: int


Op = Check | Create | SetData | Delete
