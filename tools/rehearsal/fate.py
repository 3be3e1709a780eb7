"""Lets a fault happen in a world, when it is time for it, and mends it again."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from klamm.tools.rehearsal.faults import Fault, Kind
from klamm.tools.rehearsal.world import RehearsalWorld

#: What a slow disk leaves of a broker's bandwidth.
_SLOW = 0.1


@dataclass(slots=True)
class Fate:
    """What is to happen in one run; `told` says in words what has."""

    world: RehearsalWorld
    fault: Fault | None
    told: str = ""
    _mend_at: float = math.inf
    _node: str = field(default="")

    @property
    def over(self) -> bool:
        """Tell whether nothing is to be mended any more."""
        return math.isinf(self._mend_at)

    def look(self) -> None:
        """Do what is due now."""
        world = self.world
        if world.now >= self._mend_at:
            self._mend_at = world.fault_due = math.inf
            self._mend()
            world.settle()
        fault = self.fault
        if fault is None or self.told or world.gauge.copied < fault.at * world.site.needed:
            return
        self._strike(fault)
        world.settle()
        if fault.seconds is not None:
            self._mend_at = world.fault_due = world.now + fault.seconds

    def _strike(self, fault: Fault) -> None:
        world, when = self.world, f"after {self.world.now - self.world.began:.0f} s"
        until = "for good" if fault.seconds is None else f"for {fault.seconds:.0f} s"
        if fault.kind is Kind.CONTROLLER:
            self._node = world.in_office or ""
            self.told = f"the controller is away {until}, {when}"
            if self._node:
                world.do(f"crash {self._node}")
            return
        assert fault.broker is not None, "only the controller has no number"
        number = world.stage.number(fault.broker)
        match fault.kind:
            case Kind.BROKER:
                self.told = f"broker {fault.broker} is away {until}, {when}"
                world.do(f"kill b{number}")
            case Kind.DISK:
                self.told = f"broker {fault.broker} copies a tenth {until}, {when}"
                rate = _SLOW * world.stage.spec.bandwidth
                world.carry_out(world.cluster.slow_down(world.now, number, rate))
            case _:
                self.told = f"broker {fault.broker} fetches nothing {until}, {when}"
                world.carry_out(world.cluster.freeze(world.now, number))

    def _mend(self) -> None:
        world, fault = self.world, self.fault
        assert fault is not None, "something has failed"
        if fault.kind is Kind.CONTROLLER:
            if self._node:
                world.do(f"start {self._node}")
            return
        assert fault.broker is not None, "only the controller has no number"
        number = world.stage.number(fault.broker)
        if fault.kind is Kind.BROKER:
            world.do(f"start b{number}")
        else:
            world.carry_out(world.cluster.thaw(world.now, number))
