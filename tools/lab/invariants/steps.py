"""V1 to V5, V7 and V8: what a controller makes of moves that are limited, step by step.

V6, that RS, AR and RR always name the target, is what I2 and I3 look at. Judged by what the node
itself knows of brokers and ISRs, as I5 is; what of that is durable is for I9. Without limits there
is nothing to look at. Source: KIP-435; requirements.md 2.4.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from klamm.controller.core.model import ClusterState, Partition, TopicPartition
from klamm.controller.core.pace import UNLIMITED, Pace, RunningStep
from klamm.controller.node.effects import Journal
from klamm.tools.lab.invariants.wrong import Check, Wrong
from klamm.tools.lab.observe import Observed
from klamm.tools.lab.seen import Seen
from klamm.tools.lab.written import Digest, tell


@dataclass(frozen=True, slots=True)
class Ended:
    """A step that has ended in this step of the world: its partition before and after it.

    `in_sync` are those in sync, and alive, when it did, `late` the adding replicas that were not.
    `able`: the leader of before could lead on.
    """

    name: TopicPartition
    step: RunningStep
    was: Partition
    now: Partition
    in_sync: frozenset[int]
    min_isr: int
    able: bool

    @property
    def dropped(self) -> set[int]:
        """The replicas that are none any more."""
        return set(self.was.assignment.replicas).difference(self.now.assignment.replicas)

    @property
    def late(self) -> set[int]:
        """The adding replicas that were not in sync."""
        return set(self.was.assignment.adding).difference(self.in_sync)

    @property
    def size(self) -> int:
        """How many replicas the target has."""
        return len(self.was.assignment.target)

    @property
    def whole(self) -> bool:
        """Tell whether it was a move without a limit of replicas, as KIP-455 makes it."""
        return self.step.limit == UNLIMITED

    def keeps(self, broker: int) -> bool:
        """Tell whether a replica was in sync and, unless the step drops it, still is after it."""
        return broker in self.in_sync and broker in self.dropped | _isr(self.now)

    def wrong(self, text: str) -> Wrong:
        """Return what is wrong with it, with what shows it."""
        return Wrong(
            f"the {self.step.kind} step of {self.name} {text}",
            (
                f"before: {_shown(self.was)}, told {[*self.was.hosted]}",
                f"after: {_shown(self.now)}, told {[*self.now.hosted]}",
                f"it added {[*self.step.adding]}; the limit was {self.step.limit}",
                f"in sync and alive: {sorted(self.in_sync)}; min.insync.replicas {self.min_isr}",
            ),
        )


def _of_ends(judge: Callable[[Ended], Iterator[str]]) -> Check:
    """Make an invariant of what must hold of each step that ends."""

    def check(world: Seen, seen: Observed, step: Digest) -> Iterator[Wrong]:
        elected = {
            each.name
            for each in step.happened.effects
            if isinstance(each, Journal) and each.kind == "elect"
        }
        for ended in _ended(world, seen):
            if ended.name in elected and ended.step.kind != "leader":
                continue  # its leader had to be replaced first, and nobody saw it in between
            for text in judge(ended):
                yield ended.wrong(text)

    check.__doc__ = judge.__doc__
    return check


def _keeps_in_sync(ended: Ended) -> Iterator[str]:
    """V1: no step takes the replicas in sync below min.insync.replicas, or fewer than there are."""
    left = ended.in_sync.difference(ended.dropped)
    if len(left) < min(len(ended.in_sync), ended.min_isr, ended.size):
        yield f"leaves {len(left)} in sync"


def _gets_on(ended: Ended) -> Iterator[str]:
    """V2: every step ends with what it adds in sync, and leaves less of its move to be done."""
    early = ended.late.intersection(ended.step.adding)
    if early and not ended.whole:
        yield f"ended while {sorted(early)} were not in sync"
    before = _left(ended.was, ended.late.union(ended.step.adding))
    after = _left(ended.now, ended.late.difference(ended.dropped))
    # A leader that fell out of sync meanwhile is not the step's doing; nothing may be left to do
    # but to write that it is over.
    if before and after >= before + (not ended.keeps(ended.was.leader)):
        yield f"left as much to do as before: {after} of {before}"


def _drops_few(ended: Ended) -> Iterator[str]:
    if len(ended.dropped) > ended.step.limit:
        yield f"drops {sorted(ended.dropped)}"


def _ends_with_its_leader(ended: Ended) -> Iterator[str]:
    """V5: a move that is over is led by the first of its target, if its steps were limited."""
    first, over = ended.was.assignment.target[0], not ended.now.assignment.moving
    # By KIP-455 a move may end without it, if it is a replica already and not in sync.
    if over and not ended.whole and ended.now.leader != first and ended.keeps(first):
        yield f"ended its move with leader {ended.now.leader}"


def _keeps_hosts(ended: Ended) -> Iterator[str]:
    """V7: no step takes replicas, or those a cancel gives back, below the size of the target."""
    told = set(ended.was.hosted).difference(ended.late)
    if len(ended.now.hosted) < min(len(told), ended.size):
        yield f"leaves {len(ended.now.hosted)} replicas that are told"
    before, after = len(ended.was.assignment.origin), len(ended.now.assignment.origin)
    if after < min(before, ended.size):
        yield f"leaves {after} for a cancel to give back"


def _keeps_the_leader(ended: Ended) -> Iterator[str]:
    """V8: a step never drops the leader, and only one that is there for that brings another."""
    if ended.whole or not ended.able:
        return
    isr = ended.now.leadership.isr if ended.now.leadership else ()
    # One that restarted loses lead and ISR by itself; after a conflict in the step's last Commit.
    elects = ended.now.leader != ended.was.leader and ended.was.leader in isr
    if ended.was.leader in ended.dropped:
        yield f"drops its leader {ended.was.leader}"
    elif elects and ended.step.kind != "leader":
        yield f"takes the lead from {ended.was.leader}"


def steps_keep_their_size(world: Seen, seen: Observed, step: Digest) -> Iterator[Wrong]:
    """V3: a step adds and drops as many replicas as limited, but the first for min.insync.replicas.

    No later step fills up for producers (R435-16). Nobody begins to copy whom no step adds; who
    fell out of sync goes on with it (R435-33).
    """
    yield from _of_ends(_drops_few)(world, seen, step)
    views = _views(world, seen)
    if views is None:
        return
    before, after = views
    limits = {before.limits.replicas, after.limits.replicas}
    for name, pace, running in _begun(before, after):
        part = after.partition(name)
        isr = part.leadership.isr if part is not None and part.leadership else ()
        need = after.min_isr.of(name.topic) - sum(each in after.alive for each in isr)
        most = max(running.limit, need if pace.steps == 0 else 0)
        told = f"limit {running.limit}, in force {sorted(limits)}; {need} lack in sync"
        if running.limit not in limits and not seen.lifted:
            yield Wrong(f"a step of {name} began under another limit than those in force", (told,))
        if len(running.adding) > most or (running.kind == "fill" and pace.steps > 0):
            text = f"{running.kind} step {pace.steps + 1} of {name} adds {[*running.adding]}"
            yield Wrong(text, (told,))
        was = before.partition(name)
        known = was.hosted if was is not None else ()
        strangers = set(pace.hosted).difference(known, isr, running.adding)
        if strangers:
            yield Wrong(f"a step of {name} is told to {sorted(strangers)}, too", (told,))


def slots_hold(world: Seen, seen: Observed, step: Digest) -> Iterator[Wrong]:
    """V4: no step begins above the limits of steps at once, and of those that bring a leader.

    And the index of moves, from which they are taken, is what the moves themselves say.
    """
    views = _views(world, seen)
    if views is None:
        return
    before, after = views
    paces = {name: part.pace for name, part in after.moving() if part.pace is not None}
    index, steps = after.slots, {name: pace.running for name, pace in paces.items()}
    for what, held, there in (
        ("run", index.running, [name for name, running in steps.items() if running]),
        ("wait", index.waiting, [n for n, p in paces.items() if not p.running and p.waiting]),
        ("lead next", index.leaders, [n for n, p in paces.items() if p.pending and p.leads]),
        ("are next", index.others, [n for n, p in paces.items() if p.pending and not p.leads]),
    ):
        if [*held] != sorted(there):
            text = f"{seen.actor} has noted that other moves {what} than do"
            yield Wrong(text, (f"noted {_names(held)}", f"there {_names(there)}"))
    begun = {running.kind for _, _, running in _begun(before, after)}
    running = [each for each in steps.values() if each is not None]
    leading = [each for each in running if each.kind == "leader"]
    if seen.lifted and all(steps.values()):
        return  # there were no limits for a moment, and so all moves run
    for what, count, limit, was in (
        ("", len(running), after.limits.partitions, before.limits.partitions),
        ("leader ", len(leading), after.limits.leaders, before.limits.leaders),
    ):
        if begun and count > max(limit, was) and (not what or "leader" in begun):
            text = f"{count} {what}steps run at once, {limit} may"
            yield Wrong(text, (f"running: {_names(n for n, each in steps.items() if each)}",))


STEPS: dict[str, Check] = {
    "V1": _of_ends(_keeps_in_sync),
    "V2": _of_ends(_gets_on),
    "V3": steps_keep_their_size,
    "V4": slots_hold,
    "V5": _of_ends(_ends_with_its_leader),
    "V7": _of_ends(_keeps_hosts),
    "V8": _of_ends(_keeps_the_leader),
}


# --- what has changed ----------------------------------------------------------------------------


def _views(world: Seen, seen: Observed) -> tuple[ClusterState, ClusterState] | None:
    """Return what the node believed before and believes now, if moves were limited then."""
    host = world.nodes.get(seen.actor)
    after = host.node.state if host is not None and host.node is not None else None
    before = seen.views.get(seen.actor)
    if before is None or after is None or before is after or before.epoch != after.epoch:
        return None
    return None if before.limits.none and after.limits.none else (before, after)


def _ended(world: Seen, seen: Observed) -> Iterator[Ended]:
    """Find the steps that have ended: one more is counted, or their move is over."""
    views = _views(world, seen)
    if views is None:
        return
    before, after = views
    for name, was in before.moving():
        now = after.partition(name)
        if now is None or was.pace is None:
            continue
        target = was.assignment.target
        counted = now.pace is not None and now.pace.steps == was.pace.steps + 1
        over = not now.assignment.moving and now.assignment.replicas == target
        if now.assignment.target != target or not (counted or over):
            continue
        most = max(before.limits.replicas, after.limits.replicas)
        step = was.pace.running or _at_once(was, now, most)
        if step is None:
            continue
        # The step was decided in between, and who joined or left since is not counted against it.
        alive = before.brokers.keys() | after.brokers.keys()
        in_sync = frozenset((_isr(was) | _isr(now)).intersection(alive))
        if was.pace.running is None:
            in_sync = frozenset(_isr(now))  # others may have left before the step was chosen
        least = max(1, min(before.min_isr.of(name.topic), after.min_isr.of(name.topic)))
        able = _is_able(before, after, name, was.leader)
        yield Ended(name, step, was, now, in_sync, least, able)


def _at_once(was: Partition, now: Partition, limit: int) -> RunningStep | None:
    """Return the step that began and ended in one turn, for nobody had to copy anything.

    None also if there were two: one that elects, and one that drops.
    """
    elects = now.leader != was.leader
    drops = bool(set(was.assignment.replicas).difference(now.assignment.replicas))
    if elects == drops or (elects and now.leader != was.assignment.target[0]):
        return None
    adding = tuple(each for each in now.hosted if each not in was.hosted)
    return RunningStep("swap" if drops else "leader", adding, was.hosted, 0, limit)


def _is_able(before: ClusterState, after: ClusterState, name: TopicPartition, leader: int) -> bool:
    """Tell whether a leader has neither gone, nor restarted, nor lost its log in between."""
    was, now = before.brokers.get(leader), after.brokers.get(leader)
    stays = was is not None and now is not None and was.epoch == now.epoch
    return stays and leader in after.alive and not after.is_offline(name, leader)


def _begun(
    before: ClusterState, after: ClusterState
) -> Iterator[tuple[TopicPartition, Pace, RunningStep]]:
    """Find the steps that have begun.

    Not those that go on after another controller's, nor moves that began without limits, which are
    one step each from when there are some.
    """
    for name in after.slots.running:
        was, now = before.partition(name), after.partition(name)
        pace = was.pace if was is not None else None
        if pace is None or now is None or now.pace is None or now.pace.running is None:
            continue
        running = now.pace.running
        is_hint = pace.started is None and now.pace.started is None
        is_whole = running.limit == UNLIMITED != after.limits.replicas
        if not (is_hint or is_whole or _is_same(pace.running, running)):
            yield name, now.pace, running


def _is_same(was: RunningStep | None, now: RunningStep) -> bool:
    """Tell whether a step goes on; one that was read from a hint may be under another limit."""
    return was is not None and (was.kind, was.adding) == (now.kind, now.adding)


def _left(part: Partition, missing: set[int]) -> int:
    """Count what is left to do of a move: each step makes it less."""
    elsewhere = part.leader != part.assignment.target[0]
    return len(missing) + len(part.assignment.removing) + elsewhere


def _shown(part: Partition) -> str:
    isr = part.leadership.isr if part.leadership else ()
    return f"{tell(part.assignment)}, leader {part.leader}, ISR {[*isr]}"


def _isr(part: Partition) -> set[int]:
    return set(part.leadership.isr) if part.leadership else set()


def _names(names: Iterable[TopicPartition]) -> str:
    return ", ".join(map(str, names)) or "none"
