"""One group of partitions, solved by OR-Tools' CP-SAT: as few moves as can be, then level bytes.

A group is all that a solver needs to know, and travels to executors. Two solves make its answer:
first how far loads stay from their bounds and how many replicas move, with the proven bound; then,
without making either worse, how evenly the bytes that move spread over those who get them.

One worker, a seed and a limit of deterministic time make the same answer everywhere; what differs
between machines is how long it takes.
"""

from __future__ import annotations

from collections import Counter
from itertools import chain

import msgspec
from ortools.sat.python import cp_model

Targets = dict[int, tuple[int, ...]]

#: The finest share of a group's bytes that levelling them looks at.
_BYTE_STEPS = 10_000


class Seat(msgspec.Struct, frozen=True):
    """A broker in a group: `least` and `most` bound the load that this group's replicas make.

    `room` is what may come in, in bytes; None if there is no end of it.
    """

    broker: int
    rack: int
    gives: bool
    takes: bool
    least: int | None = None
    most: int | None = None
    room: int | None = None


class Movable(msgspec.Struct, frozen=True):
    """A partition that may change: `hint` is an answer that is known to be allowed.

    Brokers in `off` have to be left. `crowding` is the most pairs of replicas in one rack.
    """

    index: int
    replicas: tuple[int, ...]
    hint: tuple[int, ...]
    factor: int
    crowding: int
    weight: int
    size_bytes: int
    off: tuple[int, ...] = ()


class Group(msgspec.Struct, frozen=True):
    """Partitions of some topics and the brokers that they may be on.

    If it is `exact`, each load has to be the least of its bounds, which are the same; else as near
    to them as can be. `effort` is the deterministic time of each solve, about as many seconds.
    """

    number: int
    seats: tuple[Seat, ...]
    movables: tuple[Movable, ...]
    seed: int
    effort: float
    exact: bool = False


class Solved(msgspec.Struct, frozen=True):
    """The answer for a group: the replicas of each partition that it has changed, by index.

    `bound` is what CP-SAT has proven, or counting, where it had no time: no answer moves fewer
    replicas with loads as near to their bounds, or none is nearer; `proven` tells that `moved` and
    `amiss` are the best there are.
    `exact` is as in the group.
    """

    number: int
    targets: Targets
    moved: int
    amiss: int
    bound: int
    proven: bool
    exact: bool = False


def solve(group: Group) -> Solved:
    """Solve a group; never worse than its hints, which count if there is no time for more."""
    model = _Model(group)
    first = model.fewest_moves()
    if first is None:
        # Too little time for any answer of its own.
        targets = {each.index: each.hint for each in group.movables}
        amiss, moved = model.hinted_amiss, model.hinted_moves
        least = min(model.must_come, moved)
        return Solved(
            group.number, targets, moved, amiss, least, least == moved and not amiss, group.exact
        )
    value, bound, targets = first
    amiss, moved = divmod(value, model.scale)
    return Solved(
        group.number,
        model.level_bytes(value, targets),
        moved,
        amiss,
        max(0, bound - amiss * model.scale),
        bound == value,
        group.exact,
    )


class _Model:
    """A Boolean for each replica that may stay, and for each broker that may get one."""

    def __init__(self, group: Group) -> None:
        self.group = group
        self.seats = {seat.broker: seat for seat in group.seats}
        self.model = cp_model.CpModel()
        self.held: dict[tuple[int, int], cp_model.IntVar | int] = {}
        self.joins: list[tuple[Movable, int, cp_model.IntVar]] = []
        for movable in group.movables:
            self._add(movable)
        self._bound_room()
        # Loads further from their bounds than could be are worse than any number of moves.
        self.scale = 1 + sum(each.factor for each in group.movables)
        self.slacks = self._slacks()
        moves = cp_model.LinearExpr.sum([join for _, _, join in self.joins])
        # It follows from the loads, and the solver would find it out only after a while.
        self.model.add(moves >= self.must_come)
        self.goal = self.scale * cp_model.LinearExpr.sum(self.slacks) + moves

    @property
    def hinted_moves(self) -> int:
        """How many replicas the hints move."""
        return sum(len({*each.hint} - {*each.replicas}) for each in self.group.movables)

    @property
    def hinted_amiss(self) -> int:
        """How far from their bounds the hints leave the loads."""
        loads = Counter[int]()
        for each in self.group.movables:
            loads.update(dict.fromkeys(each.hint, each.weight))
        return sum(
            max(0, (seat.least or 0) - loads[seat.broker])
            + (max(0, loads[seat.broker] - seat.most) if seat.most is not None else 0)
            for seat in self.group.seats
        )

    def fewest_moves(self) -> tuple[int, int, Targets] | None:
        """Return the value found, its proven bound and the replicas of each partition."""
        self.model.minimize(self.goal)
        solver = self._solver()
        status = solver.solve(self.model)
        if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            return None
        value = round(solver.objective_value)
        # A bound is a float near a whole number; rounding up by less than its error is safe.
        bound = value if status == cp_model.OPTIMAL else int(solver.best_objective_bound + 0.999)
        return value, bound, self._targets(solver)

    def level_bytes(self, value: int, found: Targets) -> Targets:
        """Return replicas that move no more, and bytes that come in level with the counts."""
        total = sum(each.size_bytes for each in self.group.movables)
        if not total or len(self.joins) < 2:
            return found
        unit = max(1, total // _BYTE_STEPS)
        incoming: dict[int, list[tuple[int, cp_model.IntVar]]] = {}
        gets = Counter[int]()
        for movable, broker, join in self.joins:
            incoming.setdefault(broker, []).append((movable.size_bytes // unit, join))
            gets[broker] += broker in found[movable.index]
        mean = total // unit // max(1, len(self.group.movables))
        offs = []
        for broker, terms in incoming.items():
            wide = sum(size for size, _ in terms) + gets[broker] * mean
            off = self.model.new_int_var(0, wide, "")
            got = (
                cp_model.LinearExpr.weighted_sum(
                    [join for _, join in terms], [size for size, _ in terms]
                )
                - gets[broker] * mean
            )
            self.model.add(off >= got)
            self.model.add(off >= -got)
            offs.append(off)
        self.model.add(self.goal <= value)
        self.model.clear_hints()
        for movable in self.group.movables:
            self._hint(movable, found[movable.index])
        self.model.minimize(sum(offs))
        solver = self._solver()
        if solver.solve(self.model) not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            return found
        return self._targets(solver)

    def _add(self, movable: Movable) -> None:
        """Add the choices for a partition, its replication factor and its racks."""
        racks: dict[int, list[cp_model.IntVar | int]] = {}
        choices: list[cp_model.IntVar | int] = []
        for seat in self.group.seats:
            choice: cp_model.IntVar | int
            if seat.broker in movable.replicas:
                if seat.broker in movable.off:
                    continue
                choice = self.model.new_bool_var("") if seat.gives else 1
            elif seat.takes:
                choice = self.model.new_bool_var("")
                self.joins.append((movable, seat.broker, choice))
            else:
                continue
            self.held[movable.index, seat.broker] = choice
            choices.append(choice)
            racks.setdefault(seat.rack, []).append(choice)
        self.model.add(sum(choices) == movable.factor)
        self._bound_crowding(movable, racks)
        self._hint(movable, movable.hint)

    def _bound_crowding(
        self, movable: Movable, racks: dict[int, list[cp_model.IntVar | int]]
    ) -> None:
        """Bound the pairs of replicas in one rack: the nth one there makes n - 1 more."""
        pairs: list[cp_model.LinearExprT] = []
        for choices in racks.values():
            if movable.crowding == 0:
                self.model.add(sum(choices) <= 1)
            elif len(choices) > 1:
                most = min(len(choices), movable.factor)
                nth = [self.model.new_bool_var("") for _ in range(most)]
                self.model.add(sum(choices) == sum(nth))
                pairs.extend(at * each for at, each in enumerate(nth))
        if pairs:
            self.model.add(sum(pairs) <= movable.crowding)

    def _bound_room(self) -> None:
        for seat in self.group.seats:
            terms = [
                movable.size_bytes * join
                for movable, broker, join in self.joins
                if broker == seat.broker
            ]
            if seat.room is not None and terms:
                self.model.add(sum(terms) <= seat.room)

    def _slacks(self) -> list[cp_model.IntVar]:
        """Return how far each load is below its least or above its most."""
        slacks = []
        terms: dict[int, list[cp_model.LinearExprT]] = {}
        weights = Counter[int]()
        for movable in self.group.movables:
            for seat in self.group.seats:
                choice = self.held.get((movable.index, seat.broker))
                if choice is not None:
                    terms.setdefault(seat.broker, []).append(movable.weight * choice)
                    weights[seat.broker] += movable.weight
        for seat in self.group.seats:
            load = cp_model.LinearExpr.sum(terms.get(seat.broker, []))
            if self.group.exact:
                self.model.add(load == seat.least)
                continue
            if seat.least:
                short = self.model.new_int_var(0, seat.least, "")
                self.model.add(load + short >= seat.least)
                slacks.append(short)
            if seat.most is not None and weights[seat.broker] > seat.most:
                over = self.model.new_int_var(0, weights[seat.broker] - seat.most, "")
                self.model.add(load - over <= seat.most)
                slacks.append(over)
        return slacks

    @property
    def must_come(self) -> int:
        """Return how many replicas come at least, if loads are exact and count replicas."""
        if not self.group.exact or any(each.weight != 1 for each in self.group.movables):
            return 0
        before = Counter(id_ for each in self.group.movables for id_ in each.replicas)
        return sum(max(0, (seat.least or 0) - before[seat.broker]) for seat in self.group.seats)

    def _hint(self, movable: Movable, replicas: tuple[int, ...]) -> None:
        for broker in self.seats:
            choice = self.held.get((movable.index, broker))
            if isinstance(choice, cp_model.IntVar):
                self.model.add_hint(choice, broker in replicas)

    def _targets(self, solver: cp_model.CpSolver) -> Targets:
        return {
            movable.index: tuple(
                broker
                for broker in chain(
                    movable.replicas, (id_ for id_ in self.seats if id_ not in movable.replicas)
                )
                if (movable.index, broker) in self.held
                and solver.value(self.held[movable.index, broker])
            )
            for movable in self.group.movables
        }

    def _solver(self) -> cp_model.CpSolver:
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        solver.parameters.random_seed = self.group.seed
        solver.parameters.max_deterministic_time = self.group.effort
        return solver
