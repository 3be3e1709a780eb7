"""A request to a broker on its way: what it told, to put it back or to read its answer by."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto

from klamm.controller.core.model import TopicPartition


class Kind(Enum):
    """The requests that a controller sends."""

    UPDATE_METADATA = auto()
    LEADER_AND_ISR = auto()
    STOP_REPLICA = auto()


@dataclass(frozen=True, slots=True)
class InFlight:
    """A request that was handed out.

    `flags` are is_new of a Lead, delete of a Stop, gone of a notice; `epochs` are the leader
    epochs told by a Lead.
    """

    number: int
    kind: Kind
    flags: Mapping[TopicPartition, bool]
    epochs: Mapping[TopicPartition, int] = field(default_factory=dict)
