"""Elections that old tools order in /admin/preferred_replica_election.

Every partition that it names gets its preferred leader, or a line in the journal; then the znode is
removed. What is written anew meanwhile is another order.

Source: Kafka 3.9, KafkaController.scala, processZkPreferredReplicaLeaderElection.
"""

from klamm.controller.core.admin_znodes import AdminElection
from klamm.controller.core.draft import Draft, Step
from klamm.controller.core.events import AdminElectionRead, Cause, RunElection
from klamm.controller.core.ops import Delete
from klamm.controller.core.plan import Entry, SetElection
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
    """Elect all that the znode names; it goes with the last of them, or after it."""
    order = draft.election
    if order.version is None:
        draft.settle(cause)
        return
    refused = 0
    for name in order.partitions:
        refusal = prefer(draft, name)
        if refusal is not None:
            refused += 1
            draft.note("not-elected", refusal.message, name=name)
        if name in draft.units:
            draft.units[name].parts.append(cause.id)
    draft.election = AdminElection()
    done = len(order.partitions) - refused
    entry = Entry("admin-election", f"{done} elected, {refused} not", cause.id)
    removal = Delete(_PATH, order.version)
    changes = (SetElection(AdminElection()),)
    last = Step((cause.id,), (removal,), changes, entries=(entry,))
    draft.last_steps.append(clearing(draft, cause, _PATH, event) or last)
