"""F11: a leader whose ISR holds a replica that is none cannot change it."""

from collections.abc import Iterable
from dataclasses import replace

import msgspec

from klamm.controller.core.changes import Change, SetPartition
from klamm.controller.core.decide import decide
from klamm.controller.core.events import Cause, CheckPartition
from klamm.controller.core.model import ClusterState, TopicPartition
from klamm.controller.core.ops import Op, SetData
from klamm.controller.core.plan import Commit, Plan
from klamm.controller.core.settings import Settings
from klamm.controller.node.places import locate
from klamm.controller.znodes.state import decode_state, encode_state
from klamm.tools.brokers.model import BrokerModel
from klamm.tools.lab.clients import move
from klamm.tools.lab.exhibit import Case, Stage
from klamm.tools.lab.studies import SCRIPTED
from klamm.tools.lab.variant import OWN_SCRIPT, Variant
from klamm.tools.lab.variants._timing import wait

Isrs = dict[TopicPartition, tuple[int, ...]]


def in_two_rounds(state: ClusterState, causes: Iterable[Cause], settings: Settings) -> Plan:
    """Decide as klamm does, but drop replicas from the list first, and from the ISR later."""
    return tuple(_without_shrinking(commit, state) for commit in decide(state, causes, settings))


def _without_shrinking(commit: Commit, state: ClusterState) -> Commit:
    """Let the ISRs of moves that end stay as they were; the next turn looks at them again."""
    isrs: Isrs = {}
    for change in commit.changes:
        if isinstance(change, SetPartition) and not change.partition.assignment.moving:
            before = state.partition(change.name)
            if before is not None and before.assignment.moving and before.leadership is not None:
                isrs[change.name] = before.leadership.isr
    if not isrs:
        return commit
    return replace(
        commit,
        ops=tuple(_op_with(op, isrs) for op in commit.ops),
        changes=tuple(_change_with(change, isrs) for change in commit.changes),
        follow_ups=(*commit.follow_ups, *map(CheckPartition, isrs)),
    )


def _op_with(op: Op, isrs: Isrs) -> Op:
    name = locate(op.path).partition
    if not isinstance(op, SetData) or name not in isrs:
        return op
    znode = decode_state(op.data, op.path)
    return replace(op, data=encode_state(msgspec.structs.replace(znode, isr=isrs[name])))


def _change_with(change: Change, isrs: Isrs) -> Change:
    if not isinstance(change, SetPartition) or change.name not in isrs:
        return change
    held = change.partition.leadership
    if held is None:
        return change
    kept = replace(held, isr=isrs[change.name])
    return replace(change, partition=replace(change.partition, leadership=kept))


class KnowsReplicasAlone(BrokerModel):
    """A leader that looks for each member of the ISR among the replicas."""

    def advance(self, now: float) -> None:
        """Do what time brings, such as a look for members that lag."""
        for name in self.led_to_check(now):
            replica = self.replicas[name]
            for member in replica.isr:
                if member not in (self.id, *replica.followers):
                    raise LookupError(f"broker {self.id} knows no replica {member} of {name}")
        super().advance(now)


def _is_write(name: str) -> bool:
    return name == "zk serves n1"


def _script(stage: Stage) -> None:
    world = stage.world
    stage.say("t-0 is moved from brokers 1 and 2 to 1 and 3.")
    world.ask("n1", move("t", 0, 1, 3))
    wait(world, lambda: stage.replicas("t", 0) == [1, 3])
    stage.say("When the move has ended ZooKeeper lets n1 write nothing for a while.")
    end = world.now + 30.0
    wait(world, lambda: world.now >= end, but=_is_write)
    stage.rest()


SCRIPT = Case("klamm", SCRIPTED, _script)
VARIANT = Variant(
    id="F11",
    story="At the end of a move the controller told the leader of the new list of replicas, while"
    " the ISR still held those that had left; that followed in another round. If the other round"
    " was late the leader looked for members of the ISR that lag, did not find one of them among"
    " its replicas, and met an exception. So it could take nobody out of any ISR any more, also of"
    " partitions that nobody moved. klamm changes both together.",
    reference="KAFKA-9672, KAFKA-6638, apache/kafka#9631, d3612ebc775 (3.0.0)",
    exposed_by=OWN_SCRIPT,
    decide=in_two_rounds,
    broker=KnowsReplicasAlone,
)
