"""H1: an order without replicas, given by znode, has all data of the partition deleted."""

import json
from collections.abc import Iterable
from dataclasses import replace

from klamm.controller.core import admin_entries, checks
from klamm.controller.core.changes import SetAwaiting, SetPartition
from klamm.controller.core.decide import Decision
from klamm.controller.core.draft import Draft
from klamm.controller.core.events import (
    AdminReassignmentsRead,
    BeginEntry,
    Cause,
    CheckPartition,
)
from klamm.controller.core.model import ClusterState, TopicPartition
from klamm.controller.core.plan import Commit, Plan, Stop
from klamm.controller.core.settings import Settings
from klamm.controller.znodes.admin import Reassignment, Rejection
from klamm.tools.lab.exhibit import Case, Stage
from klamm.tools.lab.studies import TWO_TOPICS
from klamm.tools.lab.variant import OWN_SCRIPT, Variant
from klamm.tools.lab.variants._orders import begin_unjudged, lenient, order
from klamm.tools.lab.variants._ways import deciding_each


def _empty(rejection: Rejection) -> Reassignment | None:
    fields = json.loads(rejection.entry)
    if fields.get("replicas") != []:
        return None
    return Reassignment(fields["topic"], fields["partition"], ())


def _read(draft: Draft, cause: Cause, event: AdminReassignmentsRead) -> None:
    admin_entries.reassignments_read(draft, cause, lenient(event, _empty))


def _check(draft: Draft, cause: Cause, event: CheckPartition) -> None:
    """End a move to nowhere as any other: all of its target is in sync."""
    partition, rules = draft.partition(event.partition), draft.rules
    if partition is not None and not partition.assignment.target:
        draft.rules = replace(rules, refuse_unclean=False)
    checks.check(draft, cause, event)
    draft.rules = rules


def _begin(draft: Draft, cause: Cause, event: BeginEntry) -> None:
    if draft.admin.target(event.partition) == ():
        begin_unjudged(draft, cause, event)
    else:
        admin_entries.begin(draft, cause, event)


_OTHERS: dict[type, Decision] = {
    AdminReassignmentsRead: _read,
    BeginEntry: _begin,
    CheckPartition: _check,
}
_decide = deciding_each(_OTHERS)


def deletes_all(state: ClusterState, causes: Iterable[Cause], settings: Settings) -> Plan:
    """Decide so, and wait for no leader with the deletes of a partition that has none."""
    return tuple(_stopping(commit, state) for commit in _decide(state, causes, settings))


def _stopping(commit: Commit, state: ClusterState) -> Commit:
    emptied = {
        change.name: state.topics[change.name.topic].partitions[change.name.partition]
        for change in commit.changes
        if isinstance(change, SetPartition) and not change.partition.assignment.replicas
    }
    stops = (
        Stop(name, broker, delete=True)
        for name, before in emptied.items()
        for broker in before.assignment.replicas
    )
    return replace(
        commit,
        changes=tuple(
            change
            for change in commit.changes
            if not (isinstance(change, SetAwaiting) and change.name in emptied)
        ),
        messages=(*commit.messages, *stops),
    )


def _script(stage: Stage) -> None:
    world = stage.world
    stage.say("A tool orders t-0 to no brokers at all.")
    order(world, ("t", 0, ()))
    world.settle()
    world.advance(2.0)
    name = TopicPartition("t", 0)
    kept = [id_ for id_, host in world.brokers.items() if name in host.disks.logs]
    stage.claim(kept == [1, 2], f"the data of t-0 is where it was: on {kept}")
    stage.rest()


SCRIPT = Case("klamm", TWO_TOPICS, _script)
VARIANT = Variant(
    id="H1",
    story="Clients that ask for no replicas are refused; a tool that writes so into the znode is"
    " not. The target is empty, so all of it is in sync: the move ends at once. Every replica is"
    " told to stop and to delete its log, and the partition is left without replicas. Kafka 2.4 to"
    " 2.6 lose the data that way; in 3.9 the move hangs, and later controllers fail to start. klamm"
    " judges such orders as it does requests.",
    reference="Kafka 3.9, KafkaController.scala, processZkPartitionReassignment (measured)",
    exposed_by=OWN_SCRIPT,
    decide=deletes_all,
)
