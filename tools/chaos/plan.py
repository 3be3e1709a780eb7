"""What is broken when: a function of the seed."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

#: Milliseconds after which ZooKeeper gives up a node or broker that is silent.
SESSION_TIMEOUT_MS = 4000
_TIMEOUT = SESSION_TIMEOUT_MS / 1000


class Action(StrEnum):
    """A way to break something, for a while."""

    KILL = "kill"
    """SIGKILL, and a new process later."""
    FREEZE = "freeze"
    """SIGSTOP and SIGCONT."""
    CUT = "cut"
    """The connections to ZooKeeper are closed, and new ones too."""
    SWALLOW = "swallow"
    """What passes between a node and ZooKeeper is lost, without a word; then CUT, for a moment."""
    STALL = "stall"
    """What passes between a node and ZooKeeper is held back, and arrives late."""
    RESTART = "restart"
    """ZooKeeper is killed, and started again on its data."""
    KILL_BROKER = "kill-broker"
    STOP_BROKER = "stop-broker"
    """A controlled shutdown."""
    FREEZE_BROKER = "freeze-broker"
    """It copies nothing."""


@dataclass(frozen=True, slots=True)
class Planned:
    """`at` and `seconds` (how long it stays broken) are seconds.

    `target` is a node or broker; None stands for whichever node is controller by then, and for
    ZooKeeper.
    """

    at: float
    seconds: float
    action: Action
    target: int | None = None


#: How often each action is drawn, and for how long it lasts: shorter or longer than a session.
_NODE_ACTIONS = {
    Action.KILL: (4, ((0.2, 2.0), (1.2 * _TIMEOUT, 2 * _TIMEOUT))),
    Action.FREEZE: (4, ((0.2, 0.6 * _TIMEOUT), (1.2 * _TIMEOUT, 2.5 * _TIMEOUT))),
    Action.CUT: (2, ((0.1, 0.5 * _TIMEOUT), (1.2 * _TIMEOUT, 2 * _TIMEOUT))),
    Action.SWALLOW: (2, ((0.2, 0.6 * _TIMEOUT), (1.2 * _TIMEOUT, 2 * _TIMEOUT))),
    Action.STALL: (2, ((0.2, 0.6 * _TIMEOUT), (1.2 * _TIMEOUT, 2 * _TIMEOUT))),
}
_BROKER_ACTIONS = (Action.KILL_BROKER, Action.STOP_BROKER, Action.FREEZE_BROKER)
_LONGEST = 2.5 * _TIMEOUT

#: For how long a request may still come true after its client has gone: the longest time for which
#: it may be frozen or held back, until its node has heard of that, and some for a busy machine.
AFTERMATH_SECONDS = _LONGEST + _TIMEOUT + 15.0

_FIRST_SECONDS = 1.0
_BETWEEN_SECONDS = 2.0
_OF_ZOOKEEPER, _OF_BROKERS = 0.06, 0.25


def draw_plan(
    seed: int, seconds: float, nodes: Sequence[int], brokers: Sequence[int]
) -> tuple[Planned, ...]:
    """Draw the faults of a run, in order of time; none begins in its last moments.

    One thing is broken in one way at a time, and never more than half of the brokers.
    """
    draw = random.Random(f"faults {seed}")  # noqa: S311 - a plan, not a secret
    busy_until: dict[object, float] = {}
    plan: list[Planned] = []
    at = _FIRST_SECONDS
    while at < seconds - 1.0:
        planned = _draw(draw, at, nodes, brokers)
        key = _key(planned, len(plan))
        ill = sum(1 for other in brokers if busy_until.get(("broker", other), 0.0) > at)
        crowded = planned.action in _BROKER_ACTIONS and ill >= len(brokers) // 2
        if busy_until.get(key, 0.0) <= at and not crowded:
            busy_until[key] = at + planned.seconds + 1.0
            plan.append(planned)
        at += draw.uniform(0.2, 2 * _BETWEEN_SECONDS)
    return tuple(plan)


def _key(planned: Planned, number: int) -> object:
    """Name what is broken; who is controller by then may be another one each time."""
    if planned.action is Action.RESTART:
        return "zookeeper"
    if planned.action in _BROKER_ACTIONS:
        return "broker", planned.target
    return "node", number if planned.target is None else planned.target


def _draw(draw: random.Random, at: float, nodes: Sequence[int], brokers: Sequence[int]) -> Planned:
    what = draw.random()
    if what < _OF_ZOOKEEPER:
        return Planned(at, draw.uniform(0.1, 1.5 * _TIMEOUT), Action.RESTART)
    if what < _OF_ZOOKEEPER + _OF_BROKERS:
        action = draw.choice(_BROKER_ACTIONS)
        return Planned(at, draw.uniform(0.5, 2 * _TIMEOUT), action, draw.choice(brokers))
    weights = [weight for weight, _ in _NODE_ACTIONS.values()]
    [action] = draw.choices(list(_NODE_ACTIONS), weights)
    least, most = draw.choice(_NODE_ACTIONS[action][1])
    # Whoever is controller is where it hurts.
    target = None if draw.random() < 0.7 else draw.choice(nodes)
    return Planned(at, draw.uniform(least, most), action, target)
