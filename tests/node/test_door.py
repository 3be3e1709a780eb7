"""The door: what is answered and written, whatever becomes of connections and sessions."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from node.door_world import (
    FENCE,
    NOTICES,
    ORIGIN,
    PATHS,
    Fall,
    House,
    Look,
    Sign,
    SignAll,
    Visitor,
    refusal,
)

from klamm.controller.core.ops import ANY_VERSION, Check, Create, Delete, SetData
from klamm.controller.core.results import NOT_CONTROLLER, Fault, Refusal
from klamm.controller.node.door import FIRST_REQUEST, MOST_CONFLICTS, Door
from klamm.controller.node.effects import Commit, ReadZnodes, Severity, Transacted
from klamm.controller.store.memory_client import MemoryStore
from klamm.controller.store.port import (
    CommitDone,
    Conflict,
    Missing,
    OpError,
    ReadDone,
    Refused,
    Unreadable,
    Znode,
)

MAYBE = "it may have been written"
NOTHING = "nothing was written"


@pytest.fixture
def house() -> House:
    house = House()
    house.settle()
    return house


def test_a_write_is_made_with_its_notice_and_answered(house: House) -> None:
    (visitor,) = house.visitors
    request = visitor.enter(Sign("/a", "x"))
    house.settle()
    assert visitor.result(request) == "x"
    assert house.names("/a") == house.notices() == ["x"]
    assert len(visitor.door) == 0


def test_results_come_together_and_in_the_order_of_the_transactions(house: House) -> None:
    (visitor,) = house.visitors
    request = visitor.enter(Sign("/a", "x"), Look("/b"), Sign("/a", "y"), Sign("/b", "z"))
    house.settle()
    assert visitor.answers[request] == [("x", (), "y", "z")]
    assert house.names("/a") == ["x", "y"]


def test_no_transactions_are_answered_at_once(house: House) -> None:
    (visitor,) = house.visitors
    assert visitor.answers[visitor.enter()] == [()]


def test_many_on_one_znode_wait_for_each_other_and_none_is_lost(house: House) -> None:
    (visitor,) = house.visitors
    names = [str(number) for number in range(3 * MOST_CONFLICTS)]
    requests = [visitor.enter(Sign("/a", name)) for name in names]
    house.settle()
    assert [visitor.result(request) for request in requests] == names
    assert house.names("/a") == names


def test_one_that_waits_and_then_writes_nothing_lets_the_next_one_go_on(house: House) -> None:
    (visitor,) = house.visitors
    house.write(Create("/a", b"0"))
    requests = [visitor.enter(Sign("/a", name)) for name in ("1", "2", "3")]
    for _ in range(3):  # the reads
        house.zookeeper.serve(visitor.store)
    house.zookeeper.deliver(visitor.store)
    visitor.feed()
    house.zookeeper.run()
    house.write(SetData("/a", None, ANY_VERSION))  # nobody can add to that
    house.settle()
    assert visitor.result(requests[0]) == "1"
    assert [refusal(visitor.result(request)) for request in requests[1:]] == [
        "/a: it holds no names"
    ] * 2


def test_a_conflict_is_decided_again_over_what_the_other_wrote() -> None:
    house = House(2)
    house.settle()
    one, other = house.visitors
    requests = one.enter(Sign("/a", "x")), other.enter(Sign("/a", "y"))
    house.settle()
    assert (one.result(requests[0]), other.result(requests[1])) == ("x", "y")
    assert sorted(house.names("/a")) == sorted(house.notices()) == ["x", "y"]


def test_after_five_conflicts_it_is_given_up() -> None:
    door = Door()
    list(door.connected(7))
    effects = list(door.enter(1, (Sign("/a", "x"),)))
    tries = 0
    while True:
        (effect,) = effects
        if isinstance(effect, ReadZnodes):
            znode = Znode("/a", b"n", tries, 1, 1)
            effects = list(door.answered(ReadDone(7, effect.request, (znode,))))
        elif isinstance(effect, Commit):
            tries += 1
            conflict = Conflict(0, OpError.BAD_VERSION)
            effects = list(door.answered(CommitDone(7, effect.request, conflict)))
        else:
            break
    assert tries == MOST_CONFLICTS == 5
    assert isinstance(effect, Transacted)
    (result,) = effect.results
    assert isinstance(result, Refusal)
    assert result.fault is Fault.UNKNOWN_SERVER_ERROR
    assert result.message == (
        "Others wrote in between 5 times in a row; the last was /a: BAD_VERSION."
    )


def test_without_a_session_it_is_refused_at_once() -> None:
    house = House()
    (visitor,) = house.visitors
    text = "This node has no session with ZooKeeper at the moment."
    assert refusal(visitor.result(visitor.enter(Sign("/a", "x")))) == text
    house.settle()
    assert house.names("/a") == []


def test_without_a_connection_it_waits_for_one(house: House) -> None:
    (visitor,) = house.visitors
    house.zookeeper.disconnect(visitor.store)
    visitor.feed()
    request = visitor.enter(Sign("/a", "x"))
    assert visitor.answers[request] == []
    assert len(visitor.store.outgoing) == 0
    house.settle()
    assert visitor.result(request) == "x"


def begin_write(house: House, visitor: Visitor, *names: str) -> list[int]:
    """Come to where each name's write is on its way, or waits for the one before."""
    requests = [visitor.enter(Sign("/a", name)) for name in names]
    for _ in names:
        house.zookeeper.serve(visitor.store)
    for _ in names:
        house.zookeeper.deliver(visitor.store)
    visitor.feed()
    return requests


@pytest.mark.parametrize("before", [b"0", None])
@pytest.mark.parametrize("applied", [True, False])
def test_a_write_whose_answer_was_lost_is_made_once(
    house: House, applied: bool, before: bytes | None
) -> None:
    (visitor,) = house.visitors
    if before is not None:
        house.write(Create("/a", before))
    (request,) = begin_write(house, visitor, "x")
    if applied:
        house.zookeeper.serve(visitor.store)
    house.zookeeper.disconnect(visitor.store)
    visitor.feed()
    assert visitor.answers[request] == []
    house.settle()
    assert visitor.result(request) == "x"
    assert house.names("/a") == [*(["0"] if before else []), "x"]
    assert house.notices() == ["x"]


def test_a_lost_answer_that_others_have_covered_is_said_to_be_unknown(house: House) -> None:
    (visitor,) = house.visitors
    house.write(Create("/a", b"0"))
    (request,) = begin_write(house, visitor, "x")
    house.zookeeper.serve(visitor.store)
    house.zookeeper.disconnect(visitor.store)
    house.write(SetData("/a", b"0 x y", ANY_VERSION))
    visitor.feed()
    house.settle()
    text = "The connection to ZooKeeper was lost, and nothing tells whether it was done."
    assert refusal(visitor.result(request)) == text
    assert house.names("/a") == ["0", "x", "y"]


def test_two_that_would_write_the_same_are_not_taken_for_each_other(house: House) -> None:
    (visitor,) = house.visitors
    requests = begin_write(house, visitor, "same", "same")
    house.zookeeper.serve(visitor.store)
    house.zookeeper.disconnect(visitor.store)
    visitor.feed()
    house.settle()
    assert [visitor.result(request) for request in requests] == ["same", "same"]
    assert house.names("/a") == house.notices() == ["same", "same"]


def test_a_lost_session_answers_everything_and_says_what_it_knows(house: House) -> None:
    (visitor,) = house.visitors
    writing, waiting = begin_write(house, visitor, "x", "y")
    reading = visitor.enter(Look("/a"))
    house.zookeeper.disconnect(visitor.store)
    visitor.feed()
    visitor.give_up("no connection for the session timeout")
    assert refusal(visitor.result(writing)) == (
        f"The session with ZooKeeper ended, {MAYBE}: no connection for the session timeout"
    )
    for request in (waiting, reading):
        assert NOTHING in refusal(visitor.result(request))
    house.settle()
    again = visitor.enter(Sign("/a", "z"))
    house.settle()
    assert visitor.result(again) == "z"
    assert house.names("/a") == ["z"]


def test_an_answer_of_a_former_session_is_for_nobody(house: House) -> None:
    (visitor,) = house.visitors
    visitor.enter(Look("/a"))
    (number,) = visitor.door._asked
    visitor.give_up("over")
    assert list(visitor.door.answered(ReadDone(1, number, (Missing("/a"),)))) == []


def test_a_fence_that_has_moved_means_that_the_office_is_lost(house: House) -> None:
    (visitor,) = house.visitors
    held = visitor.enter(Sign("/a", "x", Check(FENCE, 0)))
    house.settle()
    house.write(SetData(FENCE, b"", ANY_VERSION))
    gone = visitor.enter(Sign("/a", "y", Check(FENCE, 0)))
    house.settle()
    assert visitor.result(held) == "x"
    assert visitor.result(gone) == NOT_CONTROLLER
    assert house.names("/a") == ["x"]


def test_a_lost_answer_is_nobodys_once_the_fence_has_moved(house: House) -> None:
    (visitor,) = house.visitors
    request = visitor.enter(Sign("/a", "x", Check(FENCE, 0)))
    house.zookeeper.serve(visitor.store)
    house.zookeeper.deliver(visitor.store)
    visitor.feed()
    house.zookeeper.serve(visitor.store)
    house.zookeeper.disconnect(visitor.store)
    house.write(SetData(FENCE, b"", ANY_VERSION))
    visitor.feed()
    house.settle()
    assert "nothing tells" in refusal(visitor.result(request))


def test_what_zookeeper_refuses_or_hides_is_told_with_its_word() -> None:
    for outcome, text in (
        (Refused("NOAUTH"), "ZooKeeper refused: NOAUTH"),
        ((Unreadable("/a", "NOAUTH"),), "/a: ZooKeeper does not show it: NOAUTH"),
    ):
        door = Door()
        list(door.connected(7))
        (read,) = door.enter(1, (Look("/a"),))
        assert isinstance(read, ReadZnodes)
        (answer,) = door.answered(ReadDone(7, read.request, outcome))
        assert isinstance(answer, Transacted)
        assert (answer.request, refusal(answer.results[0])) == (1, text)


def test_a_write_that_zookeeper_refuses_is_told(house: House) -> None:
    (visitor,) = house.visitors
    request = visitor.enter(Sign("/a", "x" * (1 << 21)))
    house.settle()
    assert refusal(visitor.result(request)).startswith("ZooKeeper refused: ")
    after = visitor.enter(Sign("/a", "y"))
    house.settle()
    assert visitor.result(after) == "y"


def test_a_znode_that_cannot_be_understood_is_told_and_left_alone(house: House) -> None:
    (visitor,) = house.visitors
    house.write(Create("/a", None))
    request = visitor.enter(Sign("/a", "x"))
    house.settle()
    assert refusal(visitor.result(request)) == "/a: it holds no names"
    assert house.zookeeper.tree.nodes["/a"].version == 0


def test_a_fault_in_a_decision_costs_who_asked_and_nobody_else(house: House) -> None:
    (visitor,) = house.visitors
    request = visitor.enter(Sign("/a", "x"), Fall("/a"), Sign("/a", "y"))
    house.settle()
    first, fallen, last = visitor.answers[request][0]
    assert (first, last) == ("x", "y")
    assert refusal(fallen) == "A fault of this node; its journal tells more."
    [told] = [entry for entry in visitor.journal if entry.severity is Severity.ERROR]
    assert (told.kind, told.origin) == ("fault", ORIGIN)
    assert told.text.startswith("Fall: Traceback")
    assert "OverflowError: a number is too large" in told.text
    assert "hunter2" not in told.text


def test_its_numbers_are_its_own() -> None:
    assert not any(Door.owns(number) for number in (-1, 0, 1, 10**9, FIRST_REQUEST))
    assert Door.owns(FIRST_REQUEST + 1)


class Doors(RuleBasedStateMachine):
    """Two nodes sign the same lists; connections break, sessions end, others write in between."""

    @initialize()
    def begin(self) -> None:
        self.house = House(2)
        self.house.settle()
        self.signed: dict[str, tuple[Visitor, int]] = {}
        self.written_by_others: Counter[str] = Counter()
        self.names = 0
        self.expired: list[MemoryStore] = []

    visitor = st.integers(0, 1)

    def draw_name(self) -> str:
        self.names += 1
        return f"n{self.names}"

    @rule(visitor=visitor, paths=st.lists(st.sampled_from(PATHS), min_size=1, max_size=3))
    def sign(self, visitor: int, paths: list[str]) -> None:
        who = self.house.visitors[visitor]
        names = [self.draw_name() for _ in paths]
        signs = (Sign(path, name) for path, name in zip(paths, names, strict=True))
        request = who.enter(*signs)
        for name in names:
            self.signed[name] = (who, request)

    @rule(visitor=visitor, path=st.sampled_from(PATHS))
    def look(self, visitor: int, path: str) -> None:
        self.house.visitors[visitor].enter(Look(path))

    @rule(path=st.sampled_from(PATHS))
    def another_signs(self, path: str) -> None:
        name = self.draw_name()
        node = self.house.zookeeper.tree.nodes.get(path)
        if node is None:
            self.house.write(Create(path, name.encode()))
        else:
            data = (node.data or b"") + b" " + name.encode()
            self.house.write(SetData(path, data, ANY_VERSION))
        self.written_by_others[name] += 1

    @rule(visitor=visitor, steps=st.integers(1, 4))
    def serve(self, visitor: int, steps: int) -> None:
        store = self.house.visitors[visitor].store
        for _ in range(min(steps, len(store.outgoing))):
            self.house.zookeeper.serve(store)

    @rule(visitor=visitor, steps=st.integers(1, 4))
    def deliver(self, visitor: int, steps: int) -> None:
        who = self.house.visitors[visitor]
        for _ in range(min(steps, len(who.store.incoming))):
            self.house.zookeeper.deliver(who.store)
        who.feed()

    @rule(visitor=visitor)
    def exchange(self, visitor: int) -> None:
        """Let all that was asked be answered, and what comes of it be asked."""
        who = self.house.visitors[visitor]
        while who.store.connected and who.store.outgoing:
            self.house.zookeeper.serve(who.store)
        while who.store.incoming:
            self.house.zookeeper.deliver(who.store)
        who.feed()

    @rule(visitor=visitor, served=st.integers(0, 3), late=st.booleans())
    def break_off(self, visitor: int, served: int, late: bool) -> None:
        """Lose the connection when some of what was asked is done, and no answer has come."""
        who = self.house.visitors[visitor]
        if who.store.connected:
            for _ in range(min(served, len(who.store.outgoing))):
                self.house.zookeeper.serve(who.store)
            left = len(who.store.outgoing) if late else 0
            self.house.zookeeper.disconnect(who.store, late)
            who.feed()
            for _ in range(left):
                self.house.zookeeper.serve_late(who.store)

    @rule(visitor=visitor)
    def connect(self, visitor: int) -> None:
        who = self.house.visitors[visitor]
        if not who.store.connected:
            self.house.zookeeper.connect(who.store)
            who.feed()

    @rule(visitor=visitor)
    def expire(self, visitor: int) -> None:
        who = self.house.visitors[visitor]
        if who.store.session and not who.store.connected and who.store not in self.expired:
            self.expired.append(who.store)
            self.house.zookeeper.expire(who.store)

    @precondition(lambda self: any(not who.store.connected for who in self.house.visitors))
    @rule(visitor=visitor)
    def give_up(self, visitor: int) -> None:
        who = self.house.visitors[visitor]
        if who.store.session and not who.store.connected:
            who.give_up("no connection for the session timeout")

    @rule()
    def settle(self) -> None:
        self.house.settle()
        for who in self.house.visitors:
            assert len(who.door) == 0

    @invariant()
    def nothing_is_answered_twice(self) -> None:
        for who in self.house.visitors:
            assert all(len(answers) <= 1 for answers in who.answers.values())

    def teardown(self) -> None:
        if not hasattr(self, "house"):
            return
        self.house.settle()
        present = Counter(name for path in PATHS for name in self.house.names(path))
        notices = Counter(self.house.notices())
        for name in self.written_by_others:
            assert present.pop(name) == 1
        for name, (who, request) in self.signed.items():
            (results,) = who.answers[request]
            mine = [result for result in results if result == name]
            if mine:
                assert present[name] == notices[name] == 1
            else:
                assert present[name] == notices[name] <= 1
        text = _texts(self.house.visitors)
        assert all(_known(each) for each in text), text


def _texts(visitors: list[Visitor]) -> list[str]:
    return [
        result.message
        for who in visitors
        for (results,) in who.answers.values()
        for result in results
        if isinstance(result, Refusal)
    ]


def _known(text: str) -> bool:
    words: tuple[Any, ...] = (MAYBE, NOTHING, "no session", "nothing tells", "Others wrote")
    return any(word in text for word in words)


TestDoors = Doors.TestCase
TestDoors.settings = settings(max_examples=100, stateful_step_count=40, deadline=None)


# --- the journal ---------------------------------------------------------------------------------


def test_a_write_is_told_with_who_asked_and_what_was_written_before_it_is_answered(
    house: House,
) -> None:
    (visitor,) = house.visitors
    visitor.enter(Sign("/a", "x"), Look("/a"), Sign("/a", "y"))
    house.settle()
    assert [(entry.kind, entry.text, entry.origin) for entry in visitor.journal] == [
        ("signed", "x", ORIGIN),
        ("signed", "y", ORIGIN),
    ]
    first, second = ([(type(op), op.path) for op in entry.ops] for entry in visitor.journal)
    assert (first, second) == ([(Create, "/a")], [(SetData, "/a")])


def test_what_nobody_knows_of_a_write_is_told_as_that(house: House) -> None:
    (visitor,) = house.visitors
    visitor.enter(Sign("/a", "x"))
    visitor.enter(Sign("/b", "y"))
    for _ in range(2):
        house.zookeeper.serve(visitor.store)  # the reads
    house.zookeeper.deliver(visitor.store)
    visitor.feed()  # one is written, the other not even decided
    visitor.give_up("expired")
    (entry,) = visitor.journal
    assert (entry.severity, entry.kind, entry.ops) == (Severity.WARNING, "signed", ())
    assert entry.text.startswith(f"x: perhaps. The session with ZooKeeper ended, {MAYBE}")


class Counted(str):
    """A path that counts how often it is looked up."""

    lookups = 0
    __slots__ = ()

    def __hash__(self) -> int:
        Counted.lookups += 1
        return super().__hash__()


def test_a_queue_is_not_gone_through_for_each_who_leaves_it(house: House) -> None:
    (visitor,) = house.visitors
    count = 300
    Counted.lookups = 0
    requests = [visitor.enter(Sign(Counted("/a"), str(number))) for number in range(count)]
    house.settle()
    assert [visitor.result(request) for request in requests] == list(map(str, range(count)))
    assert Counted.lookups < 100 * count


def test_who_wants_several_znodes_has_them_all_or_waits(house: House) -> None:
    (visitor,) = house.visitors
    wants = [("/a",), ("/b",), ("/a", "/b"), ("/b", "/a"), ("/b",), ("/a",)]
    requests = [visitor.enter(SignAll(paths, str(n))) for n, paths in enumerate(wants)]
    house.settle()
    assert [visitor.result(request) for request in requests] == list("012345")
    for path in PATHS:
        assert sorted(house.names(path)) == [str(n) for n, all_ in enumerate(wants) if path in all_]


def test_a_notice_of_nothing_is_never_left() -> None:
    """A deleted list begins anew, its notices stay: a write and its notice are one."""
    house = House()
    house.settle()
    (visitor,) = house.visitors
    visitor.enter(Sign("/a", "x"))
    house.settle()
    house.write(Delete("/a", ANY_VERSION))
    house.write(Delete(f"{NOTICES}/n_0000000000", ANY_VERSION))
    request = visitor.enter(Sign("/a", "y"))
    house.settle()
    assert visitor.result(request) == "y"
    assert house.names("/a") == house.notices() == ["y"]
