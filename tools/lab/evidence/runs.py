"""One policy, one incident: a world from the plan's first request to the end of the last move."""

from __future__ import annotations

from dataclasses import dataclass

from klamm.tools.lab.events import Violation
from klamm.tools.lab.evidence.incidents import PAUSE, Fate, Incident, InterruptedRunError
from klamm.tools.lab.evidence.meter import Measured
from klamm.tools.lab.evidence.metered import MeteredWorld
from klamm.tools.lab.evidence.policies import Policy
from klamm.tools.lab.evidence.port import Begun, Port, RefusedError, Tool, begun
from klamm.tools.lab.evidence.site import Site

#: A run that has not ended after so many seconds does not end.
LONGEST = 24 * 3600.0
_LOOK_EVERY = 10.0


class BrokenError(Exception):
    """An invariant of the lab did not hold in a run; the text says which, and how."""

    def __init__(self, violation: Violation) -> None:
        super().__init__(f"{violation.invariant} at step {violation.step}: {violation.text}")


@dataclass(frozen=True, slots=True)
class Run:
    """A finished run.

    `submits` are the tool's requests: when, in seconds, and how many moves. `restarts` is how often
    the cluster has refused one, which ends the tool, and the operator has started it again.
    """

    policy: Policy
    incident: Incident
    measured: Measured
    submits: tuple[tuple[float, int], ...] = ()
    restarts: int = 0


def carry_out(site: Site, policy: Policy, incident: Incident, tool: Tool) -> Run:
    """Carry the plan out in a world of its own; raises what the tool raises."""
    return carry_out_in(MeteredWorld(site), policy, incident, tool)


def carry_out_in(world: MeteredWorld, policy: Policy, incident: Incident, tool: Tool) -> Run:
    """Carry the plan out in a new world; raises BrokenError as well if that is checked."""
    plan = world.site.plan
    port = Port(world, Fate(world, incident).look)
    port.configure(policy, world.site.size.min_in_sync)
    start, known, restarts = world.now, Begun(), 0
    while True:
        try:
            tool(plan, policy, port, known)
            _await_end(world, port, start + LONGEST)
            break
        except InterruptedRunError:
            moving = port.moving()
            if moving:
                port.submit(dict.fromkeys(moving))
        except RefusedError:
            if world.now > start + LONGEST:
                raise
            restarts += 1
        port.sleep(PAUSE)
        known = begun(port, plan)
    if world.violation is not None:
        raise BrokenError(world.violation)
    seconds = None if world.moving else world.ended_at - start
    submits = tuple((at - start, count) for at, count in port.submits)
    return Run(policy, incident, world.metered.result(world, seconds), submits, restarts)


def _await_end(world: MeteredWorld, port: Port, end: float) -> None:
    while world.moving and world.now < end and world.violation is None:
        port.sleep(_LOOK_EVERY)
