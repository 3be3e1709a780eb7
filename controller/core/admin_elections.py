"""Elections that old tools order in /admin/preferred_replica_election.

Every partition that it names gets its preferred leader, or a line in the journal; the znode is
removed by the turn after that, so that no election waits for, or is repeated with, a removal that
ZooKeeper refuses. What is written anew meanwhile is another order.

Source: Kafka 3.9, KafkaController.scala, processZkPreferredReplicaLeaderElection.
"""

from dataclasses import replace

from klamm.controller.core.admin_znodes import AdminElection
from klamm.controller.core.changes import SetElection
from klamm.controller.core.draft import Draft, Step
from klamm.controller.core.events import AdminElectionRead, Cause, RunElection
from klamm.controller.core.ops import Delete
from klamm.controller.core.plan import Entry
from klamm.controller.core.preferred import prefer
from klamm.controller.core.removal import clearing
from klamm.controller.znodes import paths

_PATH = paths.PREFERRED_REPLICA_ELECTION


def election_read(draft: Draft, cause: Cause, event: AdminElectionRead) -> None:
    """Take what the znode says, and carry it out in the next turn."""
    draft.settle(cause)
    known = draft.election
    if (event.version, event.czxid) == (known.version, known.czxid):
        return
    draft.learn_election(AdminElection(event.version, event.czxid, event.partitions))
    if event.version is None:
        draft.learn_below(_PATH, ())
        return
    if event.fault:
        draft.note("admin-discarded", event.fault)
    for rejection in event.rejected:
        draft.note("entry-refused", f"{rejection.entry}: {rejection.reason}")
    draft.admin_orders[RunElection()] = None


def run(draft: Draft, cause: Cause, event: RunElection) -> None:
    """Elect all that the znode names, and have it removed once that is durable."""
    order = draft.election
    if order.version is None:
        draft.settle(cause)
        return
    # What else asks for it in this turn has been served.
    draft.election = AdminElection()
    if order.held:
        removal = Delete(_PATH, order.version)
        entry = Entry("admin-election", order.held, cause.id)
        last = Step((cause.id,), (removal,), (SetElection(AdminElection()),), entries=(entry,))
        draft.steps.append(clearing(draft, cause, _PATH, event) or last)
        return
    # They are told once all is durable: not again by a turn that repeats a part of this one.
    refused = []
    for name in order.partitions:
        refusal = prefer(draft, name)
        if refusal is not None:
            after = draft.partition(name)
            text = refusal.message
            refused.append(Entry("not-elected", text, cause.id, name, name.topic, after))
        if name in draft.units:
            draft.units[name].parts.append(cause.id)
    done = len(order.partitions) - len(refused)
    held = replace(order, held=f"{done} elected, {len(refused)} not")
    draft.last_steps.append(
        Step(
            (cause.id,),
            (),
            (SetElection(held),),
            entries=tuple(refused),
            follow_ups=(RunElection(),),
        )
    )
