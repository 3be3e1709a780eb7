"""Requests with a number in ZooKeeper: written by one node after another, whoever dies."""

import json
from dataclasses import replace

import pytest
from node.moving import commits
from node.status_world import CONFIG, EPOCH_MS, StatusWorld, with_topic
from node.takeover import kill, take_over

from klamm.controller.core import packing
from klamm.controller.core.events import AlterReassignment, AssignPartitions, DeleteTopic
from klamm.controller.core.model import TopicPartition
from klamm.controller.core.ops import ANY_VERSION, Create, Delete
from klamm.controller.core.results import Done, Fault, PartitionsAssigned, Refusal
from klamm.controller.core.rules import APACHE_3_9, KIP_455, Rules
from klamm.controller.node.effects import ArmWatch, Commit, ReadZnodes
from klamm.controller.node.status import STATUS_TIMER, SWEEP_TIMER
from klamm.controller.znodes import paths, status
from klamm.controller.znodes.admin import Reassignment, encode_reassign_partitions
from klamm.controller.znodes.config import ConfigZnode, encode_config

DAY_MS = 24 * 60 * 60 * 1000
ROOT = paths.REASSIGN_STATUS


@pytest.mark.req("R179B-24", "R179B-34", "R179B-38", "R179B-39")
def test_a_request_from_beginning_to_end() -> None:
    world = with_topic()
    world.now_ms = 1_000
    assert world.assigned({0: (2, 3), 1: (1, 2)}) == 1
    assert world.header(1) == {
        "version": 1,
        "request_id": 1,
        "created_ms": EPOCH_MS + 1_000,
        "completed_ms": -1,
        "complete": False,
        "replicas": 4,
        "chunks": 1,
    }
    complete = {place: row["complete"] for place, row in world.rows(1).items()}
    assert complete == {(0, 2): True, (0, 3): False, (1, 1): True, (1, 2): True}
    assert world.rows(1)[0, 3]["error"] == 60
    world.now_ms = 2_000
    world.heard(0, 3, 450, 900)
    world.settle()
    assert world.rows(1)[0, 3]["denominator"] == -1
    world.run_for(1_000)
    row = world.rows(1)[0, 3]
    assert (row["numerator"], row["denominator"]) == (450, 900)
    assert row["updated_ms"] == EPOCH_MS + 2_000
    world.finish()
    header, row = world.header(1), world.rows(1)[0, 3]
    assert (header["complete"], header["completed_ms"]) == (True, EPOCH_MS + 3_000)
    assert (row["numerator"], row["error"], row["complete"]) == (900, 0, True)
    assert not world.exists(paths.REASSIGN_PARTITIONS)


def written(world: StatusWorld, path: str) -> int:
    """In how many Commits the znode was written."""
    return sum(any(op.path == path for op in commit.ops) for commit in commits(world))


@pytest.mark.req("R179B-43")
def test_ten_thousand_reports_in_ten_seconds_are_eleven_writes_and_one_per_completion() -> None:
    world = with_topic(partitions=5)
    world.assigned(dict.fromkeys(range(5), (2, 3)))
    world.effects.clear()
    chunk, completions = paths.status_chunk(1, 0), 0
    for event in range(10_000):
        world.heard(event % 4, 3, event, 10_000)
        world.settle()
        world.run_for(1)
        if event % 3_000 == 1_500:
            before = world.rows(1)
            world.join(completions, 1, 2, 3)
            completions += 1
            assert world.rows(1) != before, "a completion does not wait"
    assert completions == 3
    writes = written(world, chunk)
    assert 10 <= writes <= 11 + completions
    assert world.rows(1)[3, 3]["numerator"] > 9_000 - 1_000
    world.run_for(1_000)
    assert world.rows(1)[3, 3]["numerator"] == 9_999
    assert written(world, chunk) <= 11 + completions
    assert STATUS_TIMER not in world.timers


@pytest.mark.req("R179B-43")
def test_the_interval_is_the_nodes() -> None:
    world = with_topic(config=replace(CONFIG, status_write_interval_ms=250))
    world.assigned({0: (2, 3)})
    world.heard(0, 3, 1, 2)
    world.settle()
    assert world.timers[STATUS_TIMER] == 0.25


# --- failover -----------------------------------------------------------------------------------


@pytest.mark.req("R179B-26")
def test_fifty_requests_over_five_failovers_are_numbered_one_to_fifty() -> None:
    world = with_topic()
    numbers = []
    for turn in range(50):
        if turn % 10 == 5:
            take_over(world)
        if turn % 7 == 3:
            by_hand = encode_reassign_partitions([Reassignment("t", 1, (2, 1))])
            world.write(Create(paths.REASSIGN_PARTITIONS, by_hand))
            world.settle()
            world.tidy()
            assert not world.exists(paths.REASSIGN_PARTITIONS)
        numbers.append(world.assigned({0: (1, 2) if turn % 2 else (2, 1)}))
        world.tidy()
    assert numbers == list(range(1, 51))
    assert world.data(ROOT) == {"version": 1, "last_request_id": 50}
    world.run_for(2 * DAY_MS)
    assert world.kept() == []
    take_over(world)
    assert world.assigned({0: (2, 1)}) == 51


@pytest.mark.req("R179B-46")
def test_the_next_controller_goes_on_with_what_is_not_complete() -> None:
    world = with_topic()
    world.assigned({0: (2, 3), 1: (3, 4)})
    world.heard(0, 3, 100, 1_000)
    world.settle()
    world.run_for(1_000)
    take_over(world)
    assert world.rows(1)[0, 3]["numerator"] == 100
    world.heard(0, 3, 300, 1_000)
    world.settle()
    world.run_for(1_000)
    assert world.rows(1)[0, 3]["numerator"] == 300
    take_over(world)
    world.finish()
    assert world.header(1)["complete"] is True
    assert all(row["error"] == 0 for row in world.rows(1).values())
    assert world.kept() == [1]


@pytest.mark.req("R179B-46", "R179B-35")
def test_what_happened_while_nobody_was_in_office_is_found() -> None:
    world = with_topic(partitions=3)
    world.assigned({0: (2, 3), 1: (2, 3), 2: (2, 3)})
    kill(world)
    zero = world.data(paths.state("t", 0))
    world.put(paths.state("t", 0), {**zero, "isr": [1, 2, 3]})
    one = world.data(paths.topic("t"))
    lists = {**one, "partitions": {**one["partitions"], "1": [1, 2]}}  # type: ignore[dict-item]
    for key in ("adding_replicas", "removing_replicas"):
        lists[key] = {n: ids for n, ids in one[key].items() if n != "1"}  # type: ignore[attr-defined]
    world.put(paths.topic("t"), lists)
    orders = [Reassignment("t", n, (2, 3)) for n in (0, 2)]
    world.zookeeper.tree.nodes[paths.REASSIGN_PARTITIONS].data = encode_reassign_partitions(orders)
    world.settle()
    errors = {place: row["error"] for place, row in world.rows(1).items() if place[1] == 3}
    assert errors == {(0, 3): 0, (1, 3): 85, (2, 3): 60}


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two replicas a chunk, and Commits that hold only one."""
    monkeypatch.setattr(status, "MOST_REPLICAS", 2)
    monkeypatch.setattr(packing.plan_of, "__defaults__", (1_000,))


def check_tree(world: StatusWorld) -> bool:
    """What holds at every moment; tell whether the request was accepted."""
    root, header = world.exists(ROOT), world.exists(paths.status_header(1))
    assert root == header
    moves = world.data(paths.topic("t")).get("adding_replicas")
    if not root:
        assert not world.exists(paths.REASSIGN_PARTITIONS)
        assert not moves
        return False
    assert world.data(ROOT)["last_request_id"] == 1
    chunks = [world.exists(paths.status_chunk(1, n)) for n in range(world.header(1)["chunks"])]
    if moves:
        assert all(chunks), "a move has begun that has no place for its status"
    if not world.header(1)["complete"] and not all(chunks):
        assert world.exists(paths.REASSIGN_PARTITIONS)
    return True


@pytest.mark.req("R179B-25", "R179B-46")
@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("is_heard", [True, False], ids=["between writes", "before the answer"])
def test_wherever_the_controller_ends_all_or_nothing_is_accepted_and_goes_on(
    is_heard: bool,
) -> None:
    ends = {False: 0, True: 0}
    for steps in range(200):
        world = with_topic(partitions=4)
        wanted = tuple((TopicPartition("t", n), (2, 3)) for n in range(4))
        world.request(AssignPartitions(wanted))
        rested = False
        for _ in range(steps):
            rested = not world.step()
            check_tree(world)
        if not is_heard:
            world.zookeeper.run()
        kill(world)
        accepted = check_tree(world)
        while world.step():
            assert check_tree(world) == accepted
        ends[accepted] += 1
        if accepted:
            assert len(world.rows(1)) == 8
            world.finish()
            assert world.header(1)["complete"] is True
            assert all(row["error"] == 0 for row in world.rows(1).values())
        else:
            assert world.assigned({0: (2, 3)}) == 1
        if rested:
            break
    assert rested
    assert ends[False] and ends[True] >= 4


@pytest.mark.req("R179B-25")
@pytest.mark.parametrize("is_done", [True, False])
def test_a_lost_answer_is_found_out_and_the_request_answered_once(is_done: bool) -> None:
    world = with_topic()
    world.assigned({1: (2, 1)})
    world.tidy()
    world.effects.clear()
    request = world.request(AssignPartitions(((TopicPartition("t", 0), (2, 3)),)))
    world.feed()
    assert len(commits(world)) == 1
    while is_done and world.store.outgoing:
        world.zookeeper.serve(world.store)
    world.zookeeper.disconnect(world.store)
    world.settle()
    ((result,),) = world.replies[request]
    assert isinstance(result, PartitionsAssigned)
    assert result.request_id == 2
    assert world.data(ROOT)["last_request_id"] == 2
    world.finish()
    assert world.header(2)["complete"] is True


# --- with limits (KIP-435) ---


@pytest.mark.req("R179B-38", "R179B-46")
def test_moves_in_steps_complete_their_replicas_one_by_one() -> None:
    world = with_topic()
    limits = ("partition", "replica", "leader")
    configs = {f"reassignment.max.concurrent.{each}.movements": "1" for each in limits}
    world.write(Create(paths.CLUSTER_CONFIG, encode_config(ConfigZnode(configs))))
    world.settle()
    world.assigned({0: (3, 4), 1: (3, 4)})
    done: list[list[tuple[int, int]]] = []
    for _ in range(20):
        state = world.node.state
        assert state is not None
        done.append([place for place, row in world.rows(1).items() if row["complete"]])
        hosted = [(name, part) for name, part in state.moving() if part.additions_to_make]
        if not hosted:
            break
        assert len(hosted) == 1, "one step at a time"
        ((name, part),) = hosted
        assert len(part.additions_to_make) == 1
        assert part.leadership is not None
        if len(done) == 2:
            take_over(world)
        world.join(name.partition, *part.leadership.isr, *part.additions_to_make)
    assert [len(each) for each in done] == [0, 1, 2, 3, 4]
    assert world.header(1)["complete"] is True
    assert all(row["error"] == 0 for row in world.rows(1).values())
    world.tidy()
    assert world.assigned({0: (4, 3)}) == 2


# --- others who write ---------------------------------------------------------------------------


def test_whoever_changes_a_chunk_by_hand_is_read_and_his_keys_are_kept() -> None:
    world = with_topic()
    world.assigned({0: (2, 3)})
    chunk = paths.status_chunk(1, 0)
    changed = json.dumps({**world.data(chunk), "note": "mine"}).encode()
    world.write(Delete(chunk, ANY_VERSION))
    world.write(Create(chunk, changed))
    world.zookeeper.tree.nodes[chunk].version = 7
    world.finish()
    assert world.data(chunk)["note"] == "mine"
    assert world.header(1)["complete"] is True


def test_whoever_removes_all_of_a_request_loses_it_and_nothing_else() -> None:
    world = with_topic()
    world.assigned({0: (2, 3), 1: (2, 3)})
    world.write(
        Delete(paths.status_chunk(1, 0), ANY_VERSION), Delete(paths.status_header(1), ANY_VERSION)
    )
    world.finish()
    assert world.kept() == []
    state = world.node.state
    assert state is not None
    assert not list(state.moving())
    assert world.assigned({0: (3, 2)}) == 2


@pytest.mark.req("R179B-26")
def test_whoever_removes_the_counter_gets_no_number_twice() -> None:
    world = with_topic()
    world.assigned({0: (2, 1)})
    world.tidy()
    for path in (paths.status_chunk(1, 0), paths.status_header(1), ROOT):
        world.write(Delete(path, ANY_VERSION))
    assert world.assigned({0: (1, 2)}) == 2
    world.tidy()
    world.put(ROOT, {"version": 1, "last_request_id": 0})
    take_over(world)
    assert world.assigned({0: (2, 1)}) == 3


@pytest.mark.req("R179B-41")
@pytest.mark.parametrize("damaged", [ROOT, paths.status_header(1), paths.status_chunk(1, 0)])
def test_what_cannot_be_read_fails_no_office_and_no_move(damaged: str) -> None:
    world = with_topic()
    world.assigned({0: (2, 3)})
    world.zookeeper.tree.nodes[damaged].data = b"{"
    take_over(world)
    assert any(entry.kind == "unreadable" and damaged in entry.text for entry in world.journal)
    world.finish()
    state = world.node.state
    assert state is not None
    assert not list(state.moving())
    assert world.zookeeper.tree.nodes[damaged].data == b"{"
    result = world.assign({1: (3, 2)})
    if damaged == ROOT:
        assert isinstance(result, Refusal)
        assert result.fault is Fault.UNKNOWN_SERVER_ERROR
        assert ROOT in result.message
        assert world.header(1)["complete"] is True
        world.put(ROOT, {"version": 1, "last_request_id": 1})
        world.run_for(60_000)
        assert world.assigned({1: (3, 2)}) == 2
    else:
        assert isinstance(result, PartitionsAssigned)
        assert result.request_id == 2


@pytest.mark.req("R179B-29")
@pytest.mark.parametrize("rules", [APACHE_3_9, KIP_455], ids=lambda rules: rules.name)
def test_a_cancel_ends_its_replicas_and_the_request_goes_on(rules: Rules) -> None:
    world = with_topic(config=replace(CONFIG, rules=rules))
    world.assigned({0: (2, 3), 1: (2, 3)})
    assert world.ask(AlterReassignment(TopicPartition("t", 0), None)) == (Done(),)
    rows = world.rows(1)
    assert (rows[0, 3]["error"], rows[0, 3]["complete"]) == (85, True)
    assert (rows[1, 3]["error"], rows[1, 3]["complete"]) == (60, False)
    world.finish()
    assert world.header(1)["complete"] is True
    assert world.rows(1)[1, 3]["error"] == 0


@pytest.mark.req("R179B-35")
def test_a_topic_that_is_gone_ends_its_replicas() -> None:
    world = with_topic(partitions=1)
    world.assigned({0: (2, 3)})
    below = (paths.state("t", 0), paths.partition("t", 0), paths.partitions("t"), paths.topic("t"))
    world.write(*(Delete(path, ANY_VERSION) for path in below))
    world.settle()
    assert world.header(1)["complete"] is True
    rows = world.rows(1)
    assert (rows[0, 2]["error"], rows[0, 3]["error"]) == (0, 3)


@pytest.mark.req("R179B-35")
def test_a_topic_whose_deletion_is_asked_for_goes_when_the_move_has_ended() -> None:
    world = with_topic(partitions=1)
    world.assigned({0: (2, 3)})
    request = world.request(DeleteTopic("t"))
    world.settle()
    assert request not in world.replies
    world.ask(AlterReassignment(TopicPartition("t", 0), None))
    assert world.replies[request] == [(Done(),)]
    assert world.header(1)["complete"] is True
    assert world.rows(1)[0, 3]["error"] == 85


# --- old requests -------------------------------------------------------------------------------


def one_complete() -> StatusWorld:
    world = with_topic()
    world.assigned({0: (2, 1)})
    world.tidy()
    assert world.header(1)["complete"] is True
    return world


@pytest.mark.req("R179B-48", "R179B-49")
def test_a_complete_request_is_kept_for_a_day_and_then_goes_within_a_minute() -> None:
    world = one_complete()
    world.run_for(DAY_MS - 1)
    assert world.kept() == [1]
    world.run_for(60_001)
    assert world.kept() == []
    assert world.exists(ROOT)
    assert SWEEP_TIMER not in world.timers


@pytest.mark.req("R179B-48")
def test_what_is_old_goes_when_an_office_begins() -> None:
    world = one_complete()
    world.now_ms += DAY_MS
    take_over(world)
    assert world.kept() == []


@pytest.mark.req("R179B-48")
def test_what_is_old_goes_with_the_next_write() -> None:
    world = one_complete()
    world.now_ms += DAY_MS
    world.assigned({0: (1, 2)})
    assert world.kept() == [2]


@pytest.mark.req("R179B-47", "R179B-48")
def test_a_shorter_retention_counts_from_the_next_sweep_on() -> None:
    world = one_complete()
    world.run_for(10 * 60_000)
    assert world.kept() == [1]
    shorter = {"reassign.partitions.status.min.retention.ms": "300000"}
    world.write(Create(paths.CLUSTER_CONFIG, encode_config(ConfigZnode(shorter))))
    world.settle()
    assert world.kept() == [1]
    world.run_for(60_000)
    assert world.kept() == []


@pytest.mark.req("R179B-49")
def test_in_a_year_nothing_goes_that_is_not_complete() -> None:
    world = with_topic()
    world.assigned({0: (2, 3)})
    world.run_for(3 * 60_000)
    world.now_ms += 365 * DAY_MS
    take_over(world)
    world.run_for(10 * 60_000)
    assert world.kept() == [1]
    assert len(world.rows(1)) == 2
    assert world.data(ROOT)["last_request_id"] == 1


# --- the switch, and the journal ----------------------------------------------------------------


def touched(world: StatusWorld) -> set[str]:
    """The znodes that the node has read, written or watched."""
    found: set[str] = set()
    for effect in world.effects:
        match effect:
            case ReadZnodes(_, reads):
                found.update(read.path for read in reads)
            case ArmWatch(_, watches):
                found.update(watch.path for watch in watches)
            case Commit(_, ops):
                found.update(op.path for op in ops)
            case _:
                pass
    return found


@pytest.mark.req("R179B-17")
def test_without_the_switch_nothing_of_it_is_read_written_or_watched() -> None:
    world = one_complete()
    before = {path: node.data for path, node in world.zookeeper.tree.nodes.items() if ROOT in path}
    world.config = replace(world.config, keeps_status=False)
    take_over(world)
    world.effects.clear()
    take_over(world)
    by_hand = encode_reassign_partitions([Reassignment("t", 1, (2, 3))])
    world.write(Create(paths.REASSIGN_PARTITIONS, by_hand))
    world.heard(1, 3, 1, 2)
    world.settle()
    world.finish()
    world.run_for(2 * DAY_MS)
    assert paths.REASSIGN_PARTITIONS in touched(world)
    assert not [path for path in touched(world) if path.startswith(ROOT)]
    after = {path: node.data for path, node in world.zookeeper.tree.nodes.items() if ROOT in path}
    assert after == before


def test_the_journal_tells_of_the_request_of_each_write_and_of_its_end() -> None:
    world = with_topic()
    world.assigned({0: (2, 3)})
    world.heard(0, 3, 500, 1_000)
    world.settle()
    world.run_for(1_000)
    world.heard(0, 3, 600, 2_000)
    world.settle()
    world.run_for(1_000)
    world.finish()
    assert isinstance(world.assign({5: (1,)}), PartitionsAssigned)
    lines = [line for line in world.replay.lines if line.status is not None]
    accepted, *curve, _ = lines
    assert accepted.kind == "assignment-accepted"
    assert accepted.event is not None and accepted.event.kind == "AssignPartitions"
    assert [write.path for write in accepted.writes] == [
        ROOT,
        paths.status_header(1),
        paths.REASSIGN_PARTITIONS,
    ]
    assert {line.kind for line in curve} == {"assignment-status"}
    shares: list[tuple[int, int]] = []
    for line in curve:
        assert [write.path for write in line.writes] == [paths.status_chunk(1, 0)]
        assert line.status is not None
        shares.extend(
            (row.numerator, row.denominator) for row in line.status.replicas if row.broker == 3
        )
    assert shares == [(0, -1), (500, 1_000), (600, 2_000), (2_000, 2_000)]
    assert lines[-1].kind == "assignment-complete"
    assert [write.path for write in lines[-1].writes] == [paths.status_header(1)]


@pytest.mark.req("R179B-20")
def test_a_refusal_is_in_the_journal_with_its_reply() -> None:
    world = with_topic()
    world.assigned({0: (2, 3)})
    result = world.assign({1: (2, 3)})
    assert isinstance(result, Refusal)
    line = world.replay.lines[-1]
    assert line.kind == "refuse"
    assert line.reply is not None
    assert line.reply.error == "REASSIGNMENT_IN_PROGRESS"
    assert line.event is not None and line.event.kind == "AssignPartitions"


@pytest.mark.req("R179B-28")
def test_requests_are_kept_each_under_its_number() -> None:
    world = with_topic()
    world.assigned({0: (2, 3)})
    state = world.node.state
    assert state is not None
    world.write(Delete(paths.REASSIGN_PARTITIONS, ANY_VERSION))
    world.settle()
    world.ask(AlterReassignment(TopicPartition("t", 0), (1, 2)))
    assert world.assigned({1: (2, 3)}) == 2
    world.finish()
    assert [world.header(n)["complete"] for n in (1, 2)] == [True, True]
