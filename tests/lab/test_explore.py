"""Exploration: each world once, none left out, the same counts everywhere."""

import os
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from klamm.controller.core.ops import Create
from klamm.controller.node import Node, Now
from klamm.controller.node.effects import Effect
from klamm.controller.node.inputs import Input, Request
from klamm.tools.lab import registry
from klamm.tools.lab.choices import Enumerator
from klamm.tools.lab.events import Happened
from klamm.tools.lab.explore.copying import copied
from klamm.tools.lab.explore.fields import BY_CLASS, BY_NAME, LEFT_OUT
from klamm.tools.lab.explore.finds import FINDS, NOT_FOUND
from klamm.tools.lab.explore.fingerprint import Fingerprints
from klamm.tools.lab.explore.scopes import SMALL
from klamm.tools.lab.explore.search import Bounds, Exploration, Explored, First
from klamm.tools.lab.explore.shapes import Kind, kind, parts
from klamm.tools.lab.explore.steps import Order
from klamm.tools.lab.run import Opening, again
from klamm.tools.lab.scope import Scope
from klamm.tools.lab.variant import Variant
from klamm.tools.lab.world import World

TINY = SMALL["explore-tiny"]
PAIR = SMALL["explore-pair"]

#: Of an exploration of TINY with one end, five steps deep.
COUNTS = (50, 68, 19)
#: Of all that comes of TINY if nothing ends.
ALL_COUNTS = (975, 1369, 395)


def explored(scope: str, bounds: Bounds) -> Explored:
    return Exploration(Opening(SMALL[scope]), bounds).run()


def counts(found: Explored) -> tuple[int, int, int]:
    return found.states, found.edges, found.revisits


def under_way() -> World:
    """Return a world in the middle of a move, with something on every way there is."""
    world = Opening(PAIR).world(Enumerator())
    world.do("client asks n1: move t-0 to 2,3")
    world.until(lambda: world.can("b1 answers n1") and world.can("b2 serves n1"))
    return world


# --- searching -----------------------------------------------------------------------------------


def test_an_exploration_counts_what_it_has_seen() -> None:
    found = explored("explore-tiny", Bounds(depth=5, ends=1))
    assert counts(found) == COUNTS
    assert found.depth == 5 and found.cut_by == "depth" and found.violation is None


@pytest.mark.parametrize("seed", ["1", "2"])
def test_counts_are_the_same_in_every_process(seed: str) -> None:
    code = (
        "from klamm.tools.lab.explore.scopes import SMALL;"
        "from klamm.tools.lab.explore.search import *;"
        "f = Exploration(Opening(SMALL['explore-tiny']), Bounds(depth=5, ends=1)).run();"
        "print(f.states, f.edges, f.revisits)"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code],
        env={**os.environ, "PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == [str(count) for count in COUNTS]


def test_more_freedom_never_shows_less() -> None:
    states = [
        explored("explore-tiny", Bounds(depth=14, order=order)).states
        for order in (Order.TURNS, Order.BATCHES)
    ]
    assert states[0] < states[1]


def test_a_bound_on_states_is_kept() -> None:
    found = explored("explore-tiny", Bounds(states=20, ends=1))
    assert not found.whole
    assert found.states >= 20
    assert found.waiting > 0


@pytest.mark.parametrize(
    ("first", "depth"),
    [
        (First.USUAL, 49),
        pytest.param(First.DEEP, 49, marks=pytest.mark.slow),
        pytest.param(First.SHORT, 46, marks=pytest.mark.slow),
    ],
)
def test_either_order_sees_all_that_there_is(first: First, depth: int) -> None:
    found = explored("explore-tiny", Bounds(first=first))
    assert found.whole and found.violation is None
    assert counts(found) == ALL_COUNTS
    assert (found.last, found.depth, found.waiting) == (5, depth, 0)


def test_runs_that_deviate_once_are_more_than_the_usual_one() -> None:
    usual, once = (
        explored("explore-tiny", Bounds(first=First.USUAL, deviations=most)) for most in (0, 1)
    )
    assert (usual.cut_by, usual.deviations, usual.last) == ("deviations", 0, 2)
    assert usual.edges == usual.states - 1 + usual.revisits
    assert (once.cut_by, once.deviations) == ("deviations", 1)
    assert usual.states < once.states < ALL_COUNTS[0]


def test_a_bound_that_would_not_be_exact_is_refused() -> None:
    with pytest.raises(ValueError, match="fewest steps first"):
        Bounds(depth=5, first=First.USUAL)
    with pytest.raises(ValueError, match="fewest deviations first"):
        Bounds(deviations=1)


@pytest.mark.parametrize("scope", SMALL.values(), ids=SMALL)
def test_every_small_world_can_be_opened(scope: Scope) -> None:
    world = Opening(scope).world(Enumerator())
    assert world.violation is None
    assert world.regular() or world.asks()


#: What the model of brokers carries, and what the leads of many partitions take.
_OF_BROKERS_AND_BATCHES = {
    *("D1", "D2", "F10", "F11", "F12", "F13", "F14", "F15", "F16", "F17", "F18", "F34"),
    *("F41", "F42", "F43", "F44"),
}


def _check_find(id_: str) -> None:
    """Assert that a bug is found where it is said to be, and is met again by the same way."""
    find = FINDS[id_]
    opening = Opening(find.scope, registry.variant(id_))
    found = Exploration(opening, replace(find.bounds, states=5_000)).run()
    assert found.violation is not None
    assert found.violation.invariant == find.invariant
    repeated = again(opening, found.script).violation
    assert repeated is not None
    assert repeated.invariant == find.invariant
    assert again(Opening(find.scope), found.script).violation is None


def test_each_bug_of_the_controller_is_found_or_it_is_said_why_not() -> None:
    assert not FINDS.keys() & NOT_FOUND.keys()
    others = set(registry.variant_ids()) - FINDS.keys() - NOT_FOUND.keys()
    assert others == _OF_BROKERS_AND_BATCHES


@pytest.mark.parametrize("id_", ["F09", "F25", "F26", "F35", "H1", "H9", "S1"])
def test_a_bug_is_found(id_: str) -> None:
    _check_find(id_)


@pytest.mark.slow
@pytest.mark.parametrize("id_", FINDS)
def test_each_bug_is_found(id_: str) -> None:
    _check_find(id_)


class _Breaks(Node):
    """A node that breaks when somebody asks it for something."""

    def handle(self, now: Now, event: Input) -> tuple[Effect, ...]:
        if isinstance(event, Request):
            raise RuntimeError("asked")
        return super().handle(now, event)


def test_the_shortest_way_to_what_is_wrong_can_be_done_again() -> None:
    variant = Variant("X1", "It breaks.", "", "explore-tiny", node_factory=_Breaks)
    # Without topics, for they are asked for as well when the world is opened.
    opening = Opening(replace(TINY, topics={}), variant)
    found = Exploration(opening, Bounds(ends=1)).run()
    assert found.violation is not None
    assert found.violation.invariant == "fault"
    assert list(found.script) == ["client asks n1: move t-0 to 2", "n1 turn"]
    repeated = again(opening, found.script).violation
    assert repeated is not None and repeated.text == found.violation.text


# --- copies --------------------------------------------------------------------------------------


def test_a_copy_lives_a_life_of_its_own() -> None:
    fingerprints = Fingerprints()
    world = under_way()
    kept = copied(world)
    before = fingerprints.of(world)
    copy = copied(kept)
    assert fingerprints.of(copy) == before
    copy.do("crash n1")
    copy.settle()
    assert fingerprints.of(copy) != before
    assert fingerprints.of(world) == Fingerprints().of(copied(kept)) == before


# --- fingerprints --------------------------------------------------------------------------------


def _count_on(world: World) -> None:
    """Let everything that only numbers begin later."""
    world.tree.zxid += 1_000
    for host in world.nodes.values():
        node = host.node
        assert node is not None
        node.sequence += 5
        node.office.requests -= 7
        node.links.sends += 9
        if node.turns is not None:
            node.turns.next_cause += 11
            node.turns.next_request += 13


def test_numbers_that_only_number_make_no_difference() -> None:
    fingerprints = Fingerprints()
    opening = Opening(PAIR)
    world, other = (opening.world(Enumerator()) for _ in range(2))
    _count_on(other)
    for each in (world, other):
        each.write("a znode of nobody", Create("/nobody", None))
    steps = 0
    script = ["client asks n1: move t-0 to 2,3"]
    while script:
        name = script.pop()
        world.do(name)
        other.do(name)
        assert fingerprints.of(world) == fingerprints.of(other), name
        steps += 1
        if steps == 40:
            script.append("expire n1 unnoticed")
        elif possible := world.regular():
            script.append(possible[-1].name)
    assert steps > 60


def _changeable(thing: object, seen: dict[int, object]) -> Iterator[object]:
    """Yield all objects of a world that can change."""
    found = kind(type(thing))
    if found in (Kind.ATOM, Kind.VALUE) or id(thing) in seen or isinstance(thing, Happened):
        return
    seen[id(thing)] = thing
    if found in (Kind.METHOD, Kind.PARTIAL):
        return
    if found is Kind.OBJECT:
        yield thing
        inside = [value for name, value in parts(thing).items() if not _is_left_out(thing, name)]
    else:
        listed: Any = thing
        inside = [*listed.values()] if found is Kind.MAP else [*listed]
    for each in inside:
        yield from _changeable(each, seen)


def _is_left_out(thing: object, name: str) -> bool:
    return any(name in LEFT_OUT.get(base.__name__, ()) for base in type(thing).__mro__)


def _other(value: Any) -> Any:  # noqa: ANN401 - takes anything apart
    match value:
        case bool():
            return not value
        case int():
            return value + 1
        case float():
            return value + 1.0
        case str():
            return value + "x"
        case dict() | list() | set() | deque() if value:
            return type(value)()
    return None


def _changes(world: World) -> Iterator[tuple[str, Callable[[], None], Callable[[], None]]]:
    """Yield for each field what it is called, a change of it, and the way back."""
    for thing in _changeable(world, {}):
        cls = type(thing).__name__
        for name, value in parts(thing).items():
            only_numbers = name in BY_NAME or (cls, name) in BY_CLASS
            other = _other(value)
            if other is None or other == value or _is_left_out(thing, name):
                continue
            if only_numbers and not isinstance(value, dict | list | set | deque):
                continue
            yield (
                f"{cls}.{name}",
                partial(setattr, thing, name, other),
                partial(setattr, thing, name, value),
            )


def test_every_other_change_makes_a_difference() -> None:
    """Of each field in some object: a request that was answered, say, matters no more."""
    asked = Opening(PAIR).world(Enumerator())
    asked.do("client asks n1: move t-0 to 2,3")
    tried: set[str] = set()
    noticed: set[str] = set()
    for world in (asked, under_way()):
        before = Fingerprints().of(world)
        for name, change, back in list(_changes(world)):
            tried.add(name)
            change()
            if Fingerprints().of(world) != before:
                noticed.add(name)
            back()
        assert Fingerprints().of(world) == before
    assert tried == noticed
    assert {"NodeHost.inbox", "Desk._requests", "Link.queue"} <= tried


def test_what_is_left_out_exists() -> None:
    """A row about a field that is gone would hide its successor's absence."""
    world = under_way()
    found: dict[str, set[str]] = {}
    for thing in _changeable(world, {}):
        for base in type(thing).__mro__:
            found.setdefault(base.__name__, set()).update(parts(thing))
    checked = LEFT_OUT.keys() & found.keys()
    for cls in checked:
        assert LEFT_OUT[cls].keys() <= found[cls], cls
    assert {"World", "NodeHost", "NodeData", "Turns", "Tree", "Observed"} <= checked
