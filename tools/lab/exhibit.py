"""Exhibits: a failover story told on the real controller, with and without the bug it is about.

An exhibit has cases, each a script over a world of its own: the product first, then the profile or
the variant that shows the other end of the story. A script calls actions of the world by name,
says what it does (`Stage.say`), and claims what one must see (`Stage.claim`). A case is green if
every invariant and every claim held, red otherwise, and says beforehand which of both it is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from klamm.controller.znodes import paths
from klamm.controller.znodes.state import decode_state
from klamm.controller.znodes.topic import decode_topic
from klamm.tools.lab import registry, run
from klamm.tools.lab.choices import Enumerator
from klamm.tools.lab.events import Violation
from klamm.tools.lab.scope import Scope
from klamm.tools.lab.variant import Variant
from klamm.tools.lab.world import World

#: What is violated where a claim does not hold.
STORY = "story"


@dataclass(frozen=True, slots=True)
class Beat:
    """A sentence of the story, before the step after `step`; `holds` is None if it is no claim."""

    step: int
    text: str
    holds: bool | None = None


@dataclass(slots=True)
class Stage:
    """The world of one case, and what its script says of it."""

    world: World
    beats: list[Beat] = field(default_factory=list)
    violation: Violation | None = None

    def say(self, text: str) -> None:
        """Tell what happens next, and why it matters."""
        self.beats.append(Beat(self._step, text))

    def claim(self, holds: bool, text: str) -> None:
        """Claim what one must see now; a claim that does not hold makes the case red."""
        self.beats.append(Beat(self._step, text, holds))
        if not holds and self.violation is None:
            self.violation = self.world.violation or Violation(STORY, self._step, f"not so: {text}")

    def rest(self) -> None:
        """Let everything that failed come back, and wait until all is quiet."""
        self.say("Whatever failed comes back, and nothing more goes wrong.")
        found = run.rest(self.world)
        if found is not None and self.violation is None:
            self.violation = found

    # --- what one sees ---------------------------------------------------------------------------

    def replicas(self, topic: str, partition: int) -> list[int]:
        """Return RS of a partition, as its topic znode has it; empty if there is none."""
        node = self.world.tree.nodes.get(paths.topic(topic))
        if node is None:
            return []
        return [*decode_topic(node.data, paths.topic(topic)).partitions.get(partition, ())]

    def leadership(self, topic: str, partition: int) -> tuple[int, list[int]]:
        """Return leader and ISR of a partition, as its state znode has them; raises ZnodeError."""
        path = paths.state(topic, partition)
        state = decode_state(self.world.tree.nodes[path].data, path)
        return state.leader, [*state.isr]

    def exists(self, path: str) -> bool:
        """Tell whether there is such a znode."""
        return path in self.world.tree.nodes

    @property
    def _step(self) -> int:
        return self.world.events[-1].step if self.world.events else 0


@dataclass(frozen=True, slots=True)
class Case:
    """One way the story goes.

    `variant` is the id of the bug that is put in, "" for the product. `own` is a controller made
    for this case alone, which is none of the catalogue's bugs. `red` is what does not hold then:
    an invariant, "liveness", "fault" or "story"; "" if everything does.
    """

    name: str
    scope: Scope
    script: Callable[[Stage], None]
    variant: str = ""
    red: str = ""
    own: Variant | None = None


@dataclass(frozen=True, slots=True)
class Exhibit:
    """A story: what it is about in a line, and in some sentences; its first case is the product."""

    id: str
    title: str
    story: str
    cases: tuple[Case, ...]


@dataclass(frozen=True, slots=True)
class Performed:
    """A case that was performed; `violation` is the first thing that did not hold, if any."""

    case: Case
    stage: Stage
    violation: Violation | None

    @property
    def found(self) -> str:
        """What does not hold, as in `Case.red`."""
        return self.violation.invariant if self.violation is not None else ""

    @property
    def as_expected(self) -> bool:
        """Tell whether it went as the case says."""
        return self.found == self.case.red


def perform(case: Case, *, film: bool = False) -> Performed:
    """Perform a case in a world of its own; with a `film` it can be shown as a page."""
    variant = registry.variant(case.variant) if case.variant else case.own
    world = run.filmed(run.Opening(case.scope, variant).world(Enumerator()), film)
    stage = Stage(world)

    def play() -> Violation | None:
        case.script(stage)
        return stage.violation

    ended = run.guarded(world, play)
    # The first thing that went wrong is what it is about, however the script ended.
    found = [each for each in (world.violation, ended) if each is not None]
    return Performed(case, stage, min(found, key=lambda each: each.step, default=None))
