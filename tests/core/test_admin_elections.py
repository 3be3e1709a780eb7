"""An order for elections that takes several Commits, of which any may fail."""

from dataclasses import replace

from core.clusters import cluster, partition, topic

from klamm.controller.core import admin_elections
from klamm.controller.core.admin_znodes import AdminElection
from klamm.controller.core.apply import apply
from klamm.controller.core.draft import Draft
from klamm.controller.core.events import Cause, RunElection
from klamm.controller.core.model import ClusterState, TopicPartition
from klamm.controller.core.ops import Delete
from klamm.controller.core.packing import plan_of
from klamm.controller.core.plan import Plan
from klamm.controller.core.settings import Settings
from klamm.controller.znodes import paths


def run(state: ClusterState) -> Plan:
    draft = Draft(state, Settings())
    admin_elections.run(draft, Cause(1, RunElection()), RunElection())
    return plan_of(draft, limit=100)


def test_the_znode_goes_after_the_last_election_and_every_commit_is_a_part_of_it() -> None:
    names = tuple(TopicPartition(name, 0) for name in "abc")
    topics = (topic(name.topic, {0: partition((1, 2), leader=2, isr=(1, 2))}) for name in names)
    state = replace(cluster((1, 2), *topics), election=AdminElection(4, 40, names))
    plan = run(state)
    assert [[op.path for op in commit.ops][:1] for commit in plan] == [
        *([paths.state(*name)] for name in names),
        [],
    ]
    assert [commit.parts for commit in plan] == [(1,), (1,), (1,), ()]
    assert [commit.causes for commit in plan] == [(), (), (), (1,)]
    assert plan[-1].follow_ups == (RunElection(),)
    for commit in plan:
        state = apply(state, commit.changes)
    (removal,) = run(state)
    assert removal.ops[0] == Delete(paths.PREFERRED_REPLICA_ELECTION, 4)
    assert (removal.parts, removal.causes, removal.follow_ups) == ((), (1,), ())
    assert apply(state, removal.changes).election == AdminElection()
