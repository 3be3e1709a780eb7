"""E16: two tools hold back, and so does the controller, which dies in the middle."""

from __future__ import annotations

from dataclasses import dataclass, field

from klamm.controller.core import pacing, stepping
from klamm.controller.core.draft import Draft
from klamm.controller.core.events import BeginStep, Cause, LimitsRead
from klamm.controller.core.model import TopicPartition
from klamm.controller.core.pace import UNLIMITED
from klamm.tools.lab.clients import limit_moves
from klamm.tools.lab.exhibit import Case, Exhibit, Stage
from klamm.tools.lab.exhibits._steps import fail_over, stall
from klamm.tools.lab.exhibits._tools import Tool, listed
from klamm.tools.lab.scope import Scope
from klamm.tools.lab.variant import Variant
from klamm.tools.lab.variants._ways import deciding

_COUNT, _BATCH, _CAP = 6, 3, 4
#: Where all moves go to, and who copies.
_NEW = (5, 6)
_PLANS = {
    "a": dict.fromkeys(range(_COUNT), (1, 5)),
    "b": dict.fromkeys(range(_COUNT), (3, 6)),
}
_SCOPE = Scope(
    "exhibit",
    "Two nodes, six brokers, two topics of six partitions, on brokers 1, 2 and 3, 4.",
    brokers=6,
    topics={
        "a": dict.fromkeys(range(_COUNT), (1, 2)),
        "b": dict.fromkeys(range(_COUNT), (3, 4)),
    },
    partition_bytes=100_000_000,
    bandwidth=100_000_000.0,
)
#: Seconds between two looks of a tool, and between two looks at the brokers.
_POLL, _GLANCE = 5.0, 0.25
#: Looks of the tools until both have long been done.
_LOOKS = 12


@dataclass
class _Watch:
    """Two tools at work, and whoever counts what is under way: it asks brokers, not controllers.

    `most` are the most partitions that were copied at once, `most_of` those of one tool as it saw
    them; `alone` says for how many looks a tool had partitions listed of which none was copied.
    """

    stage: Stage
    tools: dict[str, Tool]
    most: int = 0
    most_of: dict[str, int] = field(default_factory=dict)
    alone: dict[str, int] = field(default_factory=dict)

    def copied(self) -> set[str]:
        """Return the partitions that new brokers were told of and are not in sync with."""
        found = set()
        for number in _NEW:
            model = self.stage.world.brokers[number].model
            assert model is not None, f"broker {number} runs all the time"
            for name in model.replicas:
                _, isr = self.stage.leadership(*name)
                if number not in isr:
                    found.add(str(name))
        return found

    def look(self) -> None:
        """Let both tools look, and count."""
        for topic, tool in self.tools.items():
            tool.look()
            self.most_of[topic] = max(self.most_of.get(topic, 0), len(tool.in_flight))
        copied = self.copied()
        for topic, tool in self.tools.items():
            idle = bool(tool.in_flight) and not any(name[0] == topic for name in copied)
            self.alone[topic] = self.alone.get(topic, 0) + idle

    def go_on(self) -> bool:
        """Let time pass, a minute at most, until both are done; tell whether they were."""
        world = self.stage.world
        for _ in range(_LOOKS):
            self.look()
            if not any(tool.pending or tool.in_flight for tool in self.tools.values()):
                return True
            for _ in range(round(_POLL / _GLANCE)):
                world.advance(_GLANCE)
                self.most = max(self.most, len(self.copied()))
        return False


def _script(stage: Stage) -> None:
    watch = _begin(stage)
    deferred = {"b-1", "b-2"}
    first = watch.copied()
    stage.say("n1 is killed, and n2 is elected. No broker has copied anything meanwhile.")
    stage.world.do("crash n1")
    fail_over(stage.world, "n1")
    moving = listed(stage)
    stage.claim(
        moving == {("a", 0), ("a", 1), ("a", 2), ("b", 0), ("b", 1), ("b", 2)},
        f"n2 lists all six: what was deferred was accepted, and is durable: {len(moving)}",
    )
    watch.most = max(watch.most, len(watch.copied()))
    stage.claim(
        watch.copied() == first,
        f"the same {len(first)} are copied, and {', '.join(sorted(deferred))} wait as before:"
        f" {_names(watch.copied())}",
    )
    stage.say("Brokers 5 and 6 copy. Each tool looks every five seconds, and refills.")
    for number in _NEW:
        stage.world.do(f"b{number} fetches again")
    done = watch.go_on()
    stage.claim(done, f"both tools come to their end: {_left(watch)}")
    _count(stage, watch)
    stage.rest()


def _begin(stage: Stage) -> _Watch:
    world = stage.world
    stage.say("An operator limits moves to four partitions at once, for the whole cluster.")
    asked = world.ask("n1", limit_moves(UNLIMITED, _CAP, UNLIMITED))
    world.settle()
    stage.claim(bool(asked.responses), "n1 has taken the limit")
    stage.say("New brokers 5 and 6 copy nothing for now, so that what begins does not end.")
    stall(world, *_NEW)
    tools = {topic: Tool(stage, topic, plan, _BATCH) for topic, plan in _PLANS.items()}
    watch = _Watch(stage, tools)
    stage.say(
        "Two tools begin, each with six partitions and --incremental --reassignment-batch-size 3,"
        " the second with --additional: one moves topic a to broker 5, the other b to broker 6."
    )
    watch.look()
    stage.claim(len(listed(stage)) == 6, "each has submitted three: six are listed (R1335-29)")
    stage.claim(
        watch.copied() == {"a-0", "a-1", "a-2", "b-0"},
        f"four are copied, by topic and number: {_names(watch.copied())}; two are deferred",
    )
    watch.most = len(watch.copied())
    return watch


def _count(stage: Stage, watch: _Watch) -> None:
    most = watch.most_of
    stage.claim(
        all(count <= _BATCH for count in most.values()),
        f"neither tool had more than three in flight: a {most['a']}, b {most['b']}",
    )
    stage.claim(
        watch.most <= _CAP, f"never were more than four copied in the cluster: {watch.most}"
    )
    stage.claim(
        not any(watch.alone.values()),
        "neither tool ever waited with nothing of its own under way: no tool fills four slots with"
        f" three; looks at which one did: a {watch.alone['a']}, b {watch.alone['b']}",
    )
    ends = {topic: [stage.replicas(topic, each) for each in _PLANS[topic]] for topic in _PLANS}
    wanted = {topic: [[*to] for to in plan.values()] for topic, plan in _PLANS.items()}
    stage.claim(ends == wanted, "all twelve are where their plans want them")


def _names(names: set[str]) -> str:
    return ", ".join(sorted(names)) or "none"


def _left(watch: _Watch) -> str:
    left = {
        f"{topic}-{number}"
        for topic, tool in watch.tools.items()
        for number in (*tool.in_flight, *tool.pending)
    }
    return f"left are {_names(left)}"


def _reads_no_limits(draft: Draft, cause: Cause, event: LimitsRead) -> None:
    """Take note that limits were read, and of none of them."""
    draft.settle(cause)


def _begins_what_it_accepted(draft: Draft, cause: Cause, event: BeginStep) -> None:
    """Begin a step, but none of a move that another controller had accepted and not begun."""
    name: TopicPartition = event.partition
    pace = draft.existing(name).pace
    if pace is not None and pace.pending and not pace.steps and pace.started != frozenset():
        pacing.wait(draft, name, "not-in-sync")
        draft.settle(cause, None, name)
        return
    stepping.begin(draft, cause, event)


_FORGETS_LIMITS = Variant(
    id="no-limits",
    story="A controller that is elected does not look at the limits of the cluster's configs.",
    reference="ours: R435-4, R1335-34",
    exposed_by="E16",
    decide=deciding(LimitsRead, _reads_no_limits),
    nodes=("n2",),
)
_FORGETS_DEFERRED = Variant(
    id="no-queue",
    story="A controller that is elected goes on with steps that run, and forgets who waits.",
    reference="ours: R435-42, R1335-34",
    exposed_by="E16",
    decide=deciding(BeginStep, _begins_what_it_accepted),
    nodes=("n2",),
)

EXHIBIT = Exhibit(
    id="E16",
    title="Two tools and a limit",
    story="Two tools hold back, each for itself, for neither knows of the other: with three in"
    " flight each (KIP-1335) the cluster has six. The controller holds back over all (KIP-435): it"
    " accepts all six, and moves four at once. It does not know the tools either: slots go by topic"
    " and partition, so that the first topic is served first, and the other tool gets what is left;"
    " not nothing, for no tool fills four slots with three. What is deferred lives in the topic's"
    " znode like every move, so a failover loses none of it; the limits are configs, and hold for"
    " whoever is elected. One controller forgets the limits when it takes over, and one forgets who"
    " waits.",
    cases=(
        Case("klamm", _SCOPE, _script),
        Case("n2 forgets the limit", _SCOPE, _script, red="story", own=_FORGETS_LIMITS),
        Case("n2 forgets who waits", _SCOPE, _script, red="story", own=_FORGETS_DEFERRED),
    ),
)
