"""Adding partitions beside the controller's own writes of the same topic."""

from collections.abc import Iterable
from dataclasses import replace

from klamm.controller.core.changes import Change, SetTopic, TouchTopic
from klamm.controller.core.decide import decide
from klamm.controller.core.events import Cause
from klamm.controller.core.model import ClusterState, Topic
from klamm.controller.core.ops import ANY_VERSION, Op, SetData
from klamm.controller.core.plan import Commit, Plan
from klamm.controller.core.settings import Settings
from klamm.controller.node.places import Place, locate


def grown(
    seen: ClusterState, present: ClusterState, causes: Iterable[Cause], settings: Settings
) -> Plan:
    """Decide who asks for partitions by the state that was `seen`, and write over the `present`.

    Memory keeps what it knows of the other partitions, moves included.
    """
    return tuple(_over(commit, present) for commit in decide(seen, causes, settings))


def _over(commit: Commit, present: ClusterState) -> Commit:
    return replace(
        commit,
        ops=tuple(map(_at_any_version, commit.ops)),
        changes=tuple(_merged(change, present) for change in commit.changes),
    )


def _at_any_version(op: Op) -> Op:
    if isinstance(op, SetData) and locate(op.path).place is Place.TOPIC:
        return replace(op, version=ANY_VERSION)
    return op


def _merged(change: Change, present: ClusterState) -> Change:
    topic = present.topics.get(getattr(change, "name", ""))
    match change:
        case SetTopic(topic=Topic() as wanted) if topic is not None:
            partitions = {**wanted.partitions, **topic.partitions}
            return SetTopic(topic.name, replace(wanted, partitions=partitions))
        case TouchTopic() if topic is not None:
            return replace(change, version=topic.version + 1)
        case _:
            return change
