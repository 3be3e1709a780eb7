"""One run of a rehearsal: the real controller and the tool's own pacing, on the world's clock.

Same spec, same row, on every machine and in every process: nothing is drawn but from the spec's
seed, and no clock is read. Only partitions of the plan are in the world; what the others replicate
is taken off the brokers' bandwidth, and what they have for leaders counts in the skew.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from klamm.controller.core.model import NO_LEADER, TopicPartition
from klamm.tools.lab.clients import limit_moves
from klamm.tools.lab.evidence.policies import Policy
from klamm.tools.lab.evidence.port import Begun, Port, RefusedError, begun
from klamm.tools.lab.evidence.site import Targets
from klamm.tools.reassign.pacing import Order, PacedRunError, Pacing, arranged, submit_paced
from klamm.tools.reassign.state import PartitionState
from klamm.tools.reassign.waiting import InconsistentError
from klamm.tools.rehearsal.fate import Fate
from klamm.tools.rehearsal.faults import MODELS, drawn
from klamm.tools.rehearsal.site import StageSite, least_seconds
from klamm.tools.rehearsal.spec import BROKEN, DONE, STUCK, RunRow, RunSpec, pacing
from klamm.tools.rehearsal.world import RehearsalWorld

#: A plan is stuck when so many seconds long no copy has come on, and nothing was written: longer
#: than any timer of the controller that would try again, and than so many looks.
QUIET = 700.0
_QUIET_LOOKS = 3
#: How long an operator waits before starting the tool again that has ended with an error.
_PAUSE = 60.0
#: A run has about so many looks of the tool, which looks every second as it does by default, unless
#: the plan takes longer than so many seconds at least.
_LOOKS = 1000.0


class _EndedError(Exception):
    """The run is at its end, and the plan is not."""


def rehearse_once(spec: RunSpec) -> RunRow:
    """Carry a plan out once. Raises ValueError for a pacing or fault model that is not known."""
    policy = pacing(spec.pacing)
    model = MODELS.get(spec.fault)
    if model is None:
        raise ValueError(f"{spec.fault!r} is no fault model: there are {', '.join(MODELS)}")
    site = StageSite(spec=spec)
    world = RehearsalWorld(site)
    alive = tuple(id_ for id_ in spec.stage.brokers if id_ not in spec.stage.dead)
    run = _Run(spec, policy, site, world, Fate(world, drawn(model, spec.seed, alive)))
    return run.carried_out()


@dataclass
class _Run:
    spec: RunSpec
    policy: Policy
    site: StageSite
    world: RehearsalWorld
    fate: Fate
    restarts: int = 0
    port: Port = field(init=False)

    def __post_init__(self) -> None:
        self.port = Port(self.world, self._awake)

    def carried_out(self) -> RunRow:
        """Run the tool until all is submitted, and wait for the end."""
        self._limit()
        known, refused = Begun(), ""
        try:
            while True:
                try:
                    self._submit(known)
                    self._await_end()
                    break
                except (RefusedError, InconsistentError) as error:
                    self.restarts += 1
                    refused = str(error)
                    self.port.sleep(_PAUSE)
                    known = begun(self.port, self.site.plan)
        except _EndedError:
            return self._row(refused)
        return self._row("")

    def _limit(self) -> None:
        limits = self.policy.limits
        if not limits.none:
            self.world.told(limit_moves(limits.replicas, limits.partitions, limits.leaders))

    def _submit(self, known: Begun) -> None:
        """Do as `klamm reassign --execute` does, by its own pacing, on another clock."""
        poll = max(1.0, min(least_seconds(self.spec), self.spec.give_up_s) / _LOOKS)
        paced = Pacing(self.policy.batch, self.policy.incremental, poll_interval_ms=int(poll * 1e3))

        def read(group: Targets) -> dict[TopicPartition, PartitionState]:
            return {
                name: PartitionState(name, group[name], look.replicas, look.isr, look.moving)
                for name, look in self.port.look(group).items()
            }

        try:
            submit_paced(
                arranged(self.site.plan, Order.SORTED),
                paced,
                submit=self.port.submit,
                read=read,
                patience=paced.patience(self.port),
                in_flight=known.in_flight,
                complete=known.complete,
            )
        except PacedRunError as ended:
            assert ended.__cause__ is not None, "a run ends early for a reason"
            raise ended.__cause__ from None

    def _await_end(self) -> None:
        while self.world.moving:
            gauge = self.world.gauge
            self.port.sleep(max(gauge.every, gauge.next_look - self.world.now))

    def _awake(self) -> None:
        """Look at faults, leaders, and whether it has any use to go on; raises _EndedError."""
        world = self.world
        self.fate.look()
        if world.violation is not None or world.now - world.began > self.spec.give_up_s:
            raise _EndedError
        world.note_skew()
        last = max(world.written_at, world.gauge.gained_at)
        if self.fate.over and world.now - last > max(QUIET, _QUIET_LOOKS * world.gauge.every):
            raise _EndedError

    # --- the row -----------------------------------------------------------------------------

    def _row(self, refused: str) -> RunRow:
        world, spec = self.world, self.spec
        now = world.now
        world.cluster.replication.sync(sorted(world.states))
        world.gauge.look(world)
        world.note_skew()
        world.health.short.end(now)
        world.health.leaderless.end(now)
        done = self._is_done()
        violated = () if world.violation is None else (world.violation.invariant,)
        text = "" if done else "; ".join(self._reasons(refused))
        if world.violation is not None:
            text = world.violation.text
        traffic = world.gauge.traffic
        ids = {number: self.site.id_of(number) for number in range(1, self.site.brokers + 1)}
        health, gauge = world.health, world.gauge
        return RunRow(
            pacing=spec.pacing,
            fault_model=spec.fault,
            seed=spec.seed,
            plan_hash=spec.stage.plan_hash,
            verdict=BROKEN if violated else DONE if done else STUCK,
            violated=violated,
            text=text,
            steps=world.happened.step,
            virtual_s=_time(now - world.began),
            finish_s=_time(world.ended_at - world.began) if done else None,
            max_urp=health.max_urp,
            min_isr_breach_s=_time(health.short.longest),
            leaderless_s=_time(health.leaderless.longest),
            bytes_moved=gauge.copied,
            bytes_wasted=self._wasted(),
            trace_hash=world.trace_hash,
            min_isr_partition_s=_time(health.short.total),
            worst_wait_s=_time(gauge.worst_wait),
            skew_before=_time(world.skews[0]),
            skew_worst=_time(max(world.skews)),
            skew_after=_time(world.skews[-1]),
            peak_in=_time(gauge.peak_in),
            peak_out=_time(gauge.peak_out),
            requests=len(self.port.submits),
            restarts=self.restarts,
            fault=self.fate.told,
            bucket_s=traffic.width,
            traffic=traffic.result(ids, now - world.began),
        )

    def _is_done(self) -> bool:
        return not self.world.moving and all(
            self.world.topics[name.topic].partitions[name.partition] == target
            for name, target in self.site.plan.items()
        )

    def _wasted(self) -> int:
        """Return what was fetched by replicas that did not stay, or more than once by others."""
        wasted = 0
        for (name, broker), fetched in self.world.cluster.replication.added.items():
            stays = broker in self.world.topics[name.topic].partitions[name.partition]
            log = self.world.cluster.disks(broker).logs.get(name)
            wasted += fetched if not stays or log is None else max(0, fetched - log.end)
        return wasted

    def _reasons(self, refused: str) -> list[str]:
        """Say what keeps the plan from its end, the most frequent first."""
        found: Counter[str] = Counter()
        for name, target in self.site.plan.items():
            topic = self.world.topics[name.topic]
            moves = bool(topic.adding.get(name.partition) or topic.removing.get(name.partition))
            if moves:
                found[self._reason(name, target)] += 1
            elif topic.partitions[name.partition] != target:
                found[refused or "not submitted, as the tool waits for others"] += 1
        return [
            f"{count} partition{'s' if count > 1 else ''}: {why}"
            for why, count in sorted(found.items(), key=lambda each: (-each[1], each[0]))
        ]

    def _reason(self, name: TopicPartition, target: tuple[int, ...]) -> str:
        world = self.world
        state = world.states[name]
        living = {*world.living()}
        if state.leader == NO_LEADER:
            isr = ", ".join(str(self.site.id_of(number)) for number in state.isr)
            return f"no leader, for of the ISR ({isr}) no broker is alive"
        missing = [number for number in target if number not in state.isr]
        dead = [str(self.site.id_of(number)) for number in missing if number not in living]
        if dead:
            return f"waiting for broker {', '.join(dead)}, which is dead"
        slow = ", ".join(str(self.site.id_of(number)) for number in missing)
        if slow:
            rate = self.site.rates[name] / 1e6
            return f"broker {slow} does not catch up with the {rate:.3g} MB/s that are written"
        return "the controller has not ended them yet"


def _time(value: float) -> float:
    """Round to a thousandth: what floats have beyond that says nothing."""
    return round(value, 3)
