"""What follows a write that did not simply succeed."""

import json

import pytest
from node.moving import T, U, commits, lists, with_topic
from node.test_refused import fill
from node_world import World, in_office

from klamm.controller.core.events import AlterReassignment, Cause, CreateTopic
from klamm.controller.core.model import TopicPartition
from klamm.controller.core.ops import ANY_VERSION, Create, Delete, SetData
from klamm.controller.core.results import NOT_CONTROLLER, Done, Fault, Refusal
from klamm.controller.node.effects import Commit, ReadZnodes, Severity
from klamm.controller.node.turns import SERVER_ERROR, Turns
from klamm.controller.store.port import CommitDone, ReadDone, Refused
from klamm.controller.znodes import paths


def until_commit(world: World) -> Commit:
    """Run until a Commit is on its way to ZooKeeper, and not served."""
    for _ in range(20):
        if found := commits(world):
            return found[-1]
        world.step()
    raise AssertionError("no commit")


def read_now(turns: Turns) -> list[str]:
    """What the survey under way reads in its present round."""
    return [read.path for read in turns.survey.reads] if turns.survey else []


def bump(world: World, path: str) -> None:
    """Write a znode as it is, so that its version is another."""
    world.write(SetData(path, world.zookeeper.tree.nodes[path].data, ANY_VERSION))


# --- conflicts -------------------------------------------------------------------------------


@pytest.mark.parametrize("path", [paths.topic("t"), paths.state(*T)])
def test_a_conflict_is_read_again_and_decided_again(path: str) -> None:
    world = with_topic()
    request = world.request(AlterReassignment(T, (4, 3, 2)))
    until_commit(world)
    bump(world, path)
    world.settle()
    assert world.replies[request] == [(Done(),)]
    assert lists(world)[1] == {"0": [4]}
    assert len(commits(world)) == 2
    assert [note.text.split(";")[0] for note in world.journal if note.kind == "conflict"] == [
        f"{path}: BAD_VERSION"
    ]


def test_a_decision_is_made_anew_on_what_is_there_now() -> None:
    world = with_topic()
    request = world.request(AlterReassignment(T, (4,)))
    until_commit(world)
    moved = {"version": 2, "partitions": {"0": [4, 5]}}
    world.write(SetData(paths.topic("t"), json.dumps(moved).encode(), ANY_VERSION))
    world.settle()
    assert world.replies[request] == [(Done(),)]
    assert lists(world) == ({"0": [4, 5]}, {}, {"0": [5]})


def always_bump(world: World, paths_: set[str]) -> None:
    """Let somebody else be faster with these znodes, every time."""
    for _ in range(200):
        if not world.step():
            return
        for call in list(world.store.outgoing):
            ops = getattr(call, "ops", ())
            for op in ops:
                if op.path in paths_ and isinstance(op, SetData):
                    bump(world, op.path)
    raise AssertionError("no rest")


def test_after_five_conflicts_whoever_waits_hears_so_and_the_others_go_through() -> None:
    world = in_office()
    for name in ("t", "u", "v"):
        world.ask(CreateTopic(name, -1, -1, {0: (1, 2, 3)}, {}, 0, 0))
    world.effects.clear()
    names = [TopicPartition(name, 0) for name in ("t", "u", "v")]
    request = world.request(*(AlterReassignment(name, (4, 2, 3)) for name in names))
    always_bump(world, {paths.topic("u")})
    assert world.replies[request] == [(Done(), SERVER_ERROR, Done())]
    moving = {name: lists(world, name)[1] for name in ("t", "u", "v")}
    assert moving == {"t": {"0": [4]}, "u": {}, "v": {"0": [4]}}
    assert world.node.active
    # Batches are halved from the second conflict on: 3, 3, 2 (1 apart), 1, 1.
    assert len([c for c in commits(world) if paths.topic("u") in {op.path for op in c.ops}]) == 5
    world.run_timer("retry")
    world.settle()
    assert lists(world, "u")[1] == {}


def test_a_cause_that_nobody_waits_for_is_tried_again_by_timer() -> None:
    world = with_topic()
    world.ask(AlterReassignment(T, (4, 3, 2)))
    world.leader_writes_isr(T, [1, 2, 3, 4])
    always_bump(world, {paths.topic("t")})
    assert lists(world)[1] == {"0": [4]}
    assert "given up" in [note.kind for note in world.journal]
    world.run_timer("retry")
    world.settle()
    assert lists(world) == ({"0": [4, 3, 2]}, {}, {})


def test_many_stale_partitions_are_settled_by_one_more_reading() -> None:
    world = with_topic(partitions=300)
    events = [AlterReassignment(TopicPartition("t", n), (4, 2, 3)) for n in range(300)]
    request = world.request(*events)
    until_commit(world)
    for n in range(0, 300, 7):
        bump(world, paths.state("t", n))
    world.settle()
    assert world.replies[request] == [(Done(),) * 300]
    assert len(commits(world)) == 2


def test_what_was_read_last_counts_even_while_a_batch_waits_to_be_tried_again() -> None:
    """Broker 5's end is known and put back with the batch; meanwhile broker 1 ends too."""
    world = with_topic(partitions=2)
    world.ask(CreateTopic("v", -1, -1, {0: (1, 2, 3)}, {}, 0, 0))
    world.effects.clear()
    request = world.request(*(AlterReassignment(name, (4, 2, 3)) for name in (T, U)))
    until_commit(world)
    bump(world, paths.topic("t"))
    world.unregister(5)
    change = b'{"version":1,"partitions":[{"topic":"v","partition":0}]}'
    world.write(Create(f"{paths.ISR_CHANGE_PREFIX}0000000000", change))
    turns = world.node.turns
    assert turns is not None
    while not (turns.retries and read_now(turns) == [paths.state("v", 0)]):
        assert world.step()
    world.unregister(1)
    world.settle()
    assert world.replies[request] == [(Done(), Done())]
    assert world.node.state is not None
    assert sorted(world.node.state.brokers) == [2, 3, 4]
    assert world.data(paths.state(*T))["leader"] == 2


def test_what_a_fact_asks_for_does_not_fail_with_the_request_of_its_turn() -> None:
    """Broker 1 dies as T is to move; then the move is refused, and somebody must lead T."""
    world = with_topic()
    world.ask(CreateTopic("u", -1, -1, {0: (2, 3, 5)}, {}, 0, 0))
    world.effects.clear()
    world.unregister(1)
    other = TopicPartition("u", 0)
    request = world.request(AlterReassignment(T, (4, 2, 3)), AlterReassignment(other, (2, 3)))
    until_commit(world)
    bump(world, paths.topic("u"))
    world.unregister(4)
    world.settle()
    refused, done = world.replies[request][0]
    assert isinstance(refused, Refusal)
    assert done == Done()
    state = world.data(paths.state(*T))
    assert (state["leader"], state["isr"]) == (2, [2, 3])


# --- refused and fenced ----------------------------------------------------------------------


def test_a_refused_commit_is_answered_and_not_repeated() -> None:
    world = with_topic(partitions=2)
    request = world.request(AlterReassignment(T, (4, 2, 3)))
    commit = until_commit(world)
    world.store.outgoing.clear()
    world.store.open.clear()
    world.post(CommitDone(world.store.session, commit.request, Refused("NOAUTH")))
    world.settle()
    ((refusal,),) = world.replies[request]
    assert isinstance(refusal, Refusal)
    assert refusal.fault is Fault.UNKNOWN_SERVER_ERROR
    assert "NOAUTH. Let the controller write there" in refusal.message
    assert len(commits(world)) == 1
    errors = [note for note in world.journal if note.severity is Severity.ERROR]
    assert [note.kind for note in errors] == ["given up"]
    assert "NOAUTH" in errors[0].text
    assert world.ask(AlterReassignment(U, (5, 2, 3))) == (Done(),)


def test_giving_up_compares_no_cause_with_all_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """A refused Commit of 5,000 causes stopped the node for seconds."""
    count = 200
    world = with_topic(partitions=count)
    names = (TopicPartition("t", number) for number in range(count))
    request = world.request(*(AlterReassignment(name, (4, 2, 3)) for name in names))
    until_commit(world)
    fill(world, paths.topic("t"))
    compared = []

    def equal(mine: Cause, other: object) -> bool:
        compared.append(mine)
        return isinstance(other, Cause) and mine.id == other.id

    monkeypatch.setattr(Cause, "__eq__", equal)
    world.settle()
    (refusals,) = world.replies[request]
    assert len(refusals) == count
    texts = {each.message for each in refusals if isinstance(each, Refusal)}
    assert [f"{paths.topic('t')}: QUOTAEXCEEDED" in text for text in texts] == [True]
    assert len(commits(world)) == 2 * count - 1
    assert len(compared) <= count


def test_everything_pending_at_a_fence_is_answered_once_with_41() -> None:
    world = with_topic(partitions=3)
    asked = [world.request(AlterReassignment(T, (4, 2, 3)), AlterReassignment(U, (4, 2, 3)))]
    until_commit(world)
    asked.append(world.request(AlterReassignment(TopicPartition("t", 2), (5, 2, 3))))
    asked.append(world.request(CreateTopic("new", 1, 1, {}, {}, 0, 0)))
    bump(world, paths.CONTROLLER_EPOCH)
    world.settle()
    assert world.replies[asked[0]] == [(NOT_CONTROLLER, NOT_CONTROLLER)]
    for request in asked[1:]:
        (results,) = world.replies[request]
        assert len(results) == 1
    assert lists(world)[1] in ({}, {"2": [5]})
    assert world.closed_links[:5] == [1, 2, 3, 4, 5]


# --- unknown ---------------------------------------------------------------------------------


def lose(world: World, *, late: bool = False, served: bool = False) -> int:
    """Start a move and lose the connection while its Commit is on the way."""
    request = world.request(AlterReassignment(T, (4, 3, 2)))
    until_commit(world)
    if served:
        while world.store.outgoing:
            world.zookeeper.serve(world.store)
    world.zookeeper.disconnect(world.store, late=late)
    world.feed()
    assert world.node.state is not None
    assert not list(world.node.state.moving())
    return request


def test_a_commit_that_was_applied_is_not_made_twice() -> None:
    world = with_topic()
    request = lose(world, served=True)
    world.settle()
    assert world.replies[request] == [(Done(),)]
    assert len(commits(world)) == 1
    assert world.zookeeper.tree.nodes[paths.topic("t")].version == 1
    # The inquiry follows a sync, or an old server could tell of an old past.
    assert [e.sync for e in world.effects if isinstance(e, ReadZnodes)].count(True) == 1


def test_a_commit_that_arrives_late_is_not_made_twice() -> None:
    world = with_topic()
    request = lose(world, late=True)
    world.zookeeper.serve_late(world.store)
    world.settle()
    assert world.replies[request] == [(Done(),)]
    assert len(commits(world)) == 1


def test_a_commit_that_never_arrived_is_decided_again() -> None:
    world = with_topic()
    request = lose(world)
    world.settle()
    assert world.replies[request] == [(Done(),)]
    assert len(commits(world)) == 2
    assert world.zookeeper.tree.nodes[paths.topic("t")].version == 1


def test_a_connection_that_is_lost_again_during_the_inquiry() -> None:
    world = with_topic()
    request = lose(world, served=True)
    world.zookeeper.connect(world.store)
    world.feed()
    world.zookeeper.disconnect(world.store)
    world.settle()
    assert world.replies[request] == [(Done(),)]
    assert len(commits(world)) == 1


def test_witnesses_that_were_overwritten_are_passed_over() -> None:
    world = with_topic(partitions=40)
    names = [TopicPartition("t", n) for n in range(40)]
    request = world.request(*(AlterReassignment(name, (4, 3, 2)) for name in names))
    until_commit(world)
    while world.store.outgoing:
        world.zookeeper.serve(world.store)
    world.zookeeper.disconnect(world.store)
    for name in names[:20]:
        bump(world, paths.state(*name))
    world.settle()
    assert world.replies[request] == [(Done(),) * 40]
    assert len(commits(world)) == 1
    assert [e.sync for e in world.effects if isinstance(e, ReadZnodes)].count(True) == 2


@pytest.mark.parametrize("during", ["inquiry", "survey"])
def test_a_reading_that_is_refused_ends_the_term(during: str) -> None:
    world = with_topic()
    if during == "inquiry":
        lose(world, served=True)
        world.zookeeper.connect(world.store)
        world.feed()
    else:
        world.register(6)
        world.step()
    asked = [effect for effect in world.effects if isinstance(effect, ReadZnodes)][-1]
    world.post(ReadDone(world.store.session, asked.request, Refused("NOAUTH")))
    world.settle()
    assert "a read was refused: NOAUTH" in [note.text for note in world.journal]
    assert not world.node.active
    world.run_timer("stand")
    world.settle()
    assert world.node.state is not None
    assert world.node.state.epoch == 2


@pytest.mark.req("R455-85")
def test_an_answer_that_nobody_can_find_out_means_a_new_term() -> None:
    world = with_topic()
    request = lose(world, served=True)
    for path in (paths.topic("t"), paths.state(*T)):
        bump(world, path)
    world.settle()
    assert world.replies[request] == [(NOT_CONTROLLER,)]
    assert len(world.resigned) == 1
    assert world.node.state is not None
    assert world.node.state.epoch == 2
    # What was written stands, and goes on.
    assert [name for name, _ in world.node.state.moving()] == [T]


def test_an_office_lost_during_the_inquiry() -> None:
    world = with_topic()
    request = lose(world, served=True)
    bump(world, paths.CONTROLLER_EPOCH)
    world.settle()
    assert world.replies[request] == [(NOT_CONTROLLER,)]
    assert world.node.active


def test_an_isr_change_right_after_a_lost_commit_is_not_taken_for_an_echo() -> None:
    world = with_topic()
    world.ask(AlterReassignment(T, (4, 3, 2)))
    world.effects.clear()
    world.request(AlterReassignment(T, (5, 3, 2)))
    until_commit(world)
    world.zookeeper.disconnect(world.store)
    world.settle()
    assert lists(world)[1] == {"0": [5]}
    world.leader_writes_isr(T, [1, 2, 3, 5])
    world.settle()
    assert lists(world) == ({"0": [5, 3, 2]}, {}, {})


def test_a_state_that_is_deleted_by_somebody_is_made_anew() -> None:
    world = with_topic()
    world.write(Delete(paths.state(*T), ANY_VERSION))
    assert world.ask(AlterReassignment(T, (4, 3, 2))) == (Done(),)
    assert world.data(paths.state(*T))["leader"] in (1, 2, 3, 4)
    assert lists(world)[0] in ({"0": [4, 3, 2, 1]}, {"0": [4, 3, 2]})


def test_a_topic_that_vanishes_under_a_request() -> None:
    world = with_topic()
    request = world.request(AlterReassignment(T, (4, 3, 2)))
    until_commit(world)
    for path in (paths.state(*T), paths.partition(*T), paths.partitions("t"), paths.topic("t")):
        world.write(Delete(path, ANY_VERSION))
    world.settle()
    (result,) = world.replies[request][0]
    assert isinstance(result, Refusal)
    assert world.node.state is not None
    assert world.node.state.topics == {}
    world.write(Create(paths.topic("t"), b'{"version":1,"partitions":{"0":[2]}}'))
    world.settle()
    assert world.data(paths.state(*T))["leader"] == 2
