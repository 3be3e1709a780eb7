"""What becomes of a scenario if its controller is killed: at every gap between two effects.

Effects are what reaches the outside: a multi to ZooKeeper, a request to a broker, a reply to a
client. A controller is killed before each of them, and also right after each multi, with its
answer unread. Then another takes over, all brokers work, and everything comes to rest.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from klamm.controller.core import decide as klamm
from klamm.controller.core.ibp import DEFAULT, InterBrokerProtocol
from klamm.controller.core.rules import APACHE_3_9, Rules
from klamm.controller.node.effects import Commit
from klamm.controller.node.turns import Decide
from klamm.tools.lab.apache.decide import decide as apache
from klamm.tools.lab.apache.outcomes import Outcome, describe, durable, outcome
from klamm.tools.lab.apache.scenarios import SCENARIOS, Scenario
from klamm.tools.lab.apache.stage import NoRestError, Stage
from klamm.tools.lab.clients import Asked

CONTROLLERS: dict[str, Decide] = {"apache": apache, "klamm": klamm.decide}


@dataclass(frozen=True, slots=True)
class Point:
    """The controller is killed before its effect `index`, from 0; or, if `after`, right after."""

    index: int
    after: bool
    label: str


@dataclass(frozen=True, slots=True)
class Row:
    """Neighbouring points of `scenario` at which `first` was killed, with the same outcomes.

    `found` is what ZooKeeper holds at the kill. `ends` are the outcomes of each point, in the order
    of `CONTROLLERS`, by who takes over.
    """

    scenario: str
    first: str
    points: tuple[Point, ...]
    found: str
    ends: tuple[tuple[Outcome, ...], ...]

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """The outcomes that all its points have."""
        return self.ends[0]

    @property
    def label(self) -> str:
        """Where it is."""
        first, last = self.points[0].label, self.points[-1].label
        return first if len(self.points) == 1 else f"{first} ... {last}"


def crash_table(scenarios: Iterable[Scenario] = SCENARIOS) -> Iterator[Row]:
    """Kill each of `CONTROLLERS` at each of its gaps; let each of them take over."""
    for scenario in scenarios:
        for first in CONTROLLERS:
            yield from _rows(scenario, first)


def _rows(scenario: Scenario, first: str) -> Iterator[Row]:
    prepared = [prepare(scenario, first, second) for second in CONTROLLERS]
    killed = []
    for point in points(scenario, prepared[0].copy()):
        runs = [run(scenario, stage.copy(), point) for stage in prepared]
        killed.append((point, runs[0][0], tuple(end for _, end in runs)))
    for (found, _), together in groupby(killed, key=lambda each: each[1:]):
        where, _, ends = zip(*together, strict=True)
        yield Row(scenario.name, first, where, found, ends)


def prepare(
    scenario: Scenario,
    first: str,
    second: str,
    protocol: InterBrokerProtocol = DEFAULT,
    rules: Rules = APACHE_3_9,
) -> Stage:
    """Return a stage at rest, where the watched part can begin."""
    decides = CONTROLLERS[first], CONTROLLERS[second]
    stage = Stage(scenario.origin, *decides, protocol, rules, scenario.brokers)
    for step in scenario.prepare:
        step(stage)
        stage.settle()
    return stage


def points(scenario: Scenario, stage: Stage) -> tuple[Point, ...]:
    """Every gap of a run in which nobody is killed."""
    _begin(scenario, stage)
    stage.settle()
    found = []
    for index, effect in enumerate(stage.outside):
        label = describe(effect)
        found.append(Point(index, False, f"before {label}"))
        if isinstance(effect, Commit):
            found.append(Point(index, True, f"after {label}"))
    found.append(Point(len(stage.outside), False, "at the end"))
    return tuple(found)


def run(scenario: Scenario, stage: Stage, point: Point) -> tuple[str, Outcome]:
    """Return what ZooKeeper holds when the controller is killed, and how it ends after that.

    `stage` is one that `prepare` has made.
    """
    controller = stage.controller
    controller.ends_at, controller.after = point.index, point.after
    asked = _begin(scenario, stage)
    stage.settle()
    stage.kill()
    found = durable(stage)
    try:
        stage.settle()
        stage.heal()
        stage.settle()
    except NoRestError:
        return found, Outcome("loops")
    return found, outcome(scenario, stage, asked)


def _begin(scenario: Scenario, stage: Stage) -> Asked | None:
    """Begin to count effects, and do what the scenario is about; return the client's request."""
    stage.controller.watch()
    if scenario.act:
        scenario.act(stage)
    return stage.ask(scenario.asks) if scenario.asks else None
