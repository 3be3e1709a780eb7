"""Runs: seeds that repeat, scripts that can be written down, shortened and done again."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from klamm.controller.node import Node, Now
from klamm.controller.node.effects import Commit, Effect
from klamm.controller.node.inputs import Input
from klamm.tools.lab import replaying
from klamm.tools.lab import shrink as shrinking
from klamm.tools.lab.choices import DETAIL, Enumerator
from klamm.tools.lab.clients import list_moves, move
from klamm.tools.lab.events import Violation
from klamm.tools.lab.run import Finished, Opening, again, run
from klamm.tools.lab.scope import Scope
from klamm.tools.lab.scopes import SCOPES
from klamm.tools.lab.shrink import kind, shrink
from klamm.tools.lab.trace import Header, render
from klamm.tools.lab.variant import Variant

ROOT = Path(__file__).resolve().parent.parent.parent
FAILOVER = Opening(SCOPES["failover"])
NODES = SCOPES["nodes"]


class Silent(Node):
    """A node that answers nobody."""

    def handle(self, now: Now, event: Input) -> tuple[Effect, ...]:
        found = super().handle(now, event)
        return tuple(effect for effect in found if type(effect).__name__ != "Reply")


class Breaks(Node):
    """A node with an error in it."""

    def handle(self, now: Now, event: Input) -> tuple[Effect, ...]:
        found = super().handle(now, event)
        if self.active and self.office.session > 1 and any(isinstance(it, Commit) for it in found):
            raise ZeroDivisionError("of the node's own")
        return found


def variant(factory: type[Node]) -> Variant:
    return Variant("T1", "Of tests.", "none", "failover", node_factory=factory)


def story(opening: Opening, seed: int) -> list[str]:
    return [f"{it.step} {it.now} {it.action}" for it in run(opening, seed).world.events]


def test_the_same_seed_makes_the_same_run_and_others_other_ones() -> None:
    assert story(FAILOVER, 3) == story(FAILOVER, 3)
    assert len({tuple(story(FAILOVER, seed)) for seed in range(20)}) > 15


_TRACE = """
from klamm.tools.lab.run import Opening, run
from klamm.tools.lab.scopes import SCOPES
from klamm.tools.lab.trace import Header, render

for name, seeds in (("failover", range(8)), ("all", range(2)), ("leaders-ask", range(2))):
    opening = Opening(SCOPES[name])
    for seed in seeds:
        finished = run(opening, seed)
        print(render(finished.world.events, Header(name), finished.violation))
        print(*finished.script, sep="\\n")
"""


def test_two_processes_make_the_same_bytes_whatever_their_hashes() -> None:
    found = [
        subprocess.run(
            [sys.executable, "-P", "-c", _TRACE],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": hashes},
            capture_output=True,
            check=True,
        ).stdout
        for hashes in ("1", "2")
    ]
    assert found[0] == found[1]
    assert found[0].count(b"step ") > 1_000


@pytest.mark.parametrize("name", SCOPES)
def test_a_run_is_done_again_from_its_script(name: str) -> None:
    opening = Opening(SCOPES[name])
    first = run(opening, 2)
    second = again(opening, first.script)
    assert list(second.script) == list(first.script)
    kept = min(len(first.world.events), len(second.world.events))
    assert render(second.world.events[:kept], Header("")) == render(
        first.world.events[:kept], Header("")
    )


def test_worlds_of_one_opening_have_nothing_in_common() -> None:
    first, second = FAILOVER.world(Enumerator()), FAILOVER.world(Enumerator())
    first.ask("n1", move("t", 0, 2, 3))
    first.advance(5.0)
    assert first.tree.nodes["/brokers/topics/t"].data != second.tree.nodes["/brokers/topics/t"].data
    assert len(second.clients.requests) == 1, "as the scope opens"
    assert not second.events


def test_faults_and_requests_keep_to_the_scope() -> None:
    for seed in range(40):
        world = run(FAILOVER, seed).world
        actions = [happened.action for happened in world.events]
        assert sum("crash n" in action for action in actions) <= 1
        assert len(world.clients.requests) == 1, "as the scope opens"


def test_seeds_reach_faults_takeovers_and_ends_of_moves() -> None:
    faults, takeovers, ended = 0, 0, 0
    for seed in range(40):
        world = run(FAILOVER, seed).world
        faults += any(happened.fault for happened in world.events)
        takeovers += world.tree.nodes["/controller_epoch"].data != b"1"
        ended += not world.brokers[1].disks.logs
    assert min(faults, takeovers, ended) > 15


def test_what_is_not_answered_when_all_has_healed_is_found() -> None:
    scope = Scope("mute", "", brokers=1, asks=(list_moves(), move("t", 0, 1)))
    opening = Opening(scope, variant(Silent))
    found = [run(opening, seed).violation for seed in range(10)]
    named = {violation.invariant for violation in found if violation is not None}
    assert named == {"liveness"}


def test_an_error_of_the_code_itself_is_found_and_told() -> None:
    opening = Opening(SCOPES["failover"], variant(Breaks))
    found = [run(opening, seed).violation for seed in range(30)]
    errors = [violation for violation in found if violation is not None]
    assert {violation.invariant for violation in errors} == {"fault"}
    assert errors[0].text == "ZeroDivisionError: of the node's own"
    assert any("handle" in line for line in errors[0].evidence)


def test_a_long_run_shrinks_to_what_it_needs() -> None:
    opening = Opening(NODES, variant(Breaks))
    long = next(
        finished for seed in range(50) if (finished := run(opening, seed)).violation is not None
    )
    shrunk = shrink(opening, long.script, most_runs=400)
    assert shrunk.finished.violation is not None
    assert shrunk.finished.violation.invariant == "fault"
    assert len(shrunk.script) < len(long.script) / 4
    faults = [happened for happened in shrunk.finished.world.events if happened.fault]
    assert len(faults) <= 1, "a node must fail for n2 to be in office, and no other"
    assert again(opening, shrunk.script).violation == shrunk.finished.violation


@pytest.mark.parametrize(
    ("invariant", "first", "same", "other"),
    [
        (
            "liveness",
            "request 4 of n1, 'cancel t-0', has no answer",
            "request 12 of n2, 'list moves', has no answer",
            "t-0 still moves to [3, 4], which are all able: R [1,2]",
        ),
        (
            "liveness",
            "broker 1 tells clients nothing of t-0",
            "broker 3 tells clients nothing of u-1",
            "broker 1 tells clients of t-0, which does not exist",
        ),
        ("fault", "KeyError: 3", "KeyError: 'a'", "ValueError: 3"),
    ],
)
def test_what_a_run_shows_is_of_one_kind_whatever_its_names(
    invariant: str, first: str, same: str, other: str
) -> None:
    found = [
        kind(Violation(invariant, 1, f"no rest: {text}", (text,)))
        if invariant == "liveness"
        else kind(Violation(invariant, 1, text))
        for text in (first, same, other)
    ]
    assert found[0] == found[1] != found[2]


def test_an_invariant_is_one_kind() -> None:
    assert kind(Violation("I1", 1, "a b")) == kind(Violation("I1", 2, "c")) != ("I2",)


def test_a_shorter_run_must_show_the_same_kind_of_unrest(monkeypatch: pytest.MonkeyPatch) -> None:
    def shown(opening: Opening, script: Sequence[str]) -> Finished:
        text = "request 4 of n1, 'a', has no answer" if "n1 turn" in script else "/z is still there"
        world = FAILOVER.world(Enumerator())
        world.script.extend(script)
        return Finished(world, Violation("liveness", 1, f"no rest: {text}", (text,)))

    monkeypatch.setattr(shrinking, "again", shown)
    assert list(shrink(FAILOVER, ("zk serves n1", "n1 turn", "zk tells n1")).script) == ["n1 turn"]


def test_nothing_wrong_cannot_be_shrunk() -> None:
    with pytest.raises(ValueError, match="nothing wrong"):
        shrink(FAILOVER, run(FAILOVER, 1).script)


def test_a_script_is_a_text_that_can_be_read_again() -> None:
    finished = run(FAILOVER, 5)
    script = replaying.Script("failover", tuple(finished.script), "F33", "5", "I1 at step 3: x")
    text = replaying.written(script)
    assert replaying.read(text, "five.txt") == script
    assert text.splitlines()[1:5] == [
        "scope: failover",
        "variant: F33",
        "seed: 5",
        "found: I1 at step 3: x",
    ]


def test_comments_and_empty_lines_of_a_script_say_nothing() -> None:
    text = "# klamm lab script 1\n# by hand\nscope: all\n\n# then\nn1 turn\n\n  gap: 3\n"
    script = replaying.read(text, "mine.txt")
    assert script == replaying.Script("all", ("n1 turn", f"{DETAIL}gap: 3"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "mine.txt: the first line is '', not '# klamm lab script 1'"),
        ("scope: all\n", "mine.txt: the first line is 'scope: all'"),
        ("# klamm lab script 1\n\nn1 turn\n", "mine.txt: it names no scope"),
        ("# klamm lab script 1\nscop: all\n", "mine.txt: 'scop: all' is none of scope, variant"),
    ],
)
def test_what_is_no_script_is_refused_with_the_reason(text: str, said: str) -> None:
    with pytest.raises(replaying.ScriptError) as refused:
        replaying.read(text, "mine.txt")
    assert str(refused.value).startswith(said)


@pytest.mark.parametrize(("name", "seeds"), [("failover", 60), ("nodes", 20), ("brokers", 10)])
def test_the_product_holds(name: str, seeds: int) -> None:
    opening = Opening(SCOPES[name])
    for seed in range(seeds):
        finished = run(opening, seed)
        assert finished.violation is None, f"{name} {seed}: {finished.violation}"
