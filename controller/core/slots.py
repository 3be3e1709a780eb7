"""Which moves may begin their next step now: the slots that KIP-435's limits leave free.

Source: KIP-435, "Collecting a reassignment batch", without its barrier: the slot of a step that
ends is free at once.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from operator import itemgetter

from klamm.controller.core.pace import Limits, Pace
from klamm.controller.znodes.admin import TopicPartition

#: Names in a full chunk. With 100,000 names, a chunk and the tuple of all are about equally long.
CHUNK = 512

#: A partition with the pace that it had, and the one that it has; None: none, for it is not moving.
PaceChange = tuple[TopicPartition, Pace | None, Pace | None]


@dataclass(frozen=True, slots=True)
class Names:
    """A sorted set of partitions, most of which it shares with the set that it was made from.

    Its chunks are sorted, follow one another, and are never empty. To add or take out a name
    copies one of them, and the tuple of them.
    """

    chunks: tuple[tuple[TopicPartition, ...], ...] = ()
    count: int = 0

    @classmethod
    def of(cls, names: Iterable[TopicPartition]) -> "Names":
        """Return the set of these names, in whatever order they come."""
        every = sorted(set(names))
        # Half full, so that the first ones to be added split nothing.
        starts = range(0, len(every), CHUNK // 2)
        return cls(tuple(tuple(every[i : i + CHUNK // 2]) for i in starts), len(every))

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[TopicPartition]:
        """Give the names in order; whoever stops early has not paid for the others."""
        for chunk in self.chunks:
            yield from chunk

    def plus(self, name: TopicPartition) -> "Names":
        """Return the set with this name."""
        if not self.chunks:
            return Names(((name,),), 1)
        place = self._place(name)
        chunk = self.chunks[place]
        i = bisect_left(chunk, name)
        if i < len(chunk) and chunk[i] == name:
            return self
        grown = (*chunk[:i], name, *chunk[i:])
        if len(grown) <= CHUNK:
            return self._with(place, (grown,), self.count + 1)
        half = len(grown) // 2
        return self._with(place, (grown[:half], grown[half:]), self.count + 1)

    def minus(self, name: TopicPartition) -> "Names":
        """Return the set without this name."""
        if not self.chunks:
            return self
        place = self._place(name)
        chunk = self.chunks[place]
        i = bisect_left(chunk, name)
        if i == len(chunk) or chunk[i] != name:
            return self
        rest = chunk[:i] + chunk[i + 1 :]
        return self._with(place, (rest,) if rest else (), self.count - 1)

    def _place(self, name: TopicPartition) -> int:
        """Return the index of the chunk that has the name, or would have it."""
        return max(bisect_right(self.chunks, name, key=itemgetter(0)) - 1, 0)

    def _with(
        self, place: int, chunks: tuple[tuple[TopicPartition, ...], ...], count: int
    ) -> "Names":
        return Names(self.chunks[:place] + chunks + self.chunks[place + 1 :], count)


@dataclass(frozen=True, slots=True)
class Slots:
    """The moves in steps, by what they do: the index from which the next ones are taken.

    `leaders` are those whose next step brings another leader, `others` those with another next
    step; both wait for nothing but a slot. `waiting` have a reason to wait. Of the `running` ones
    `running_leaders` are steps that bring another leader.
    """

    leaders: Names = field(default_factory=Names)
    others: Names = field(default_factory=Names)
    waiting: Names = field(default_factory=Names)
    running: Names = field(default_factory=Names)
    running_leaders: int = 0

    @classmethod
    def of(cls, paces: Iterable[tuple[TopicPartition, Pace]]) -> "Slots":
        """Return the index of these moves, faster than one after another."""
        by_set: dict[str, list[TopicPartition]] = {}
        leading = 0
        for name, pace in paces:
            by_set.setdefault(_set_of(pace), []).append(name)
            leading += _takes_lead(pace)
        sets = {key: Names.of(names) for key, names in by_set.items()}
        return cls(**sets, running_leaders=leading)

    def updated(self, name: TopicPartition, before: Pace | None, after: Pace | None) -> "Slots":
        """Return the index once a partition of this pace, or none, has that one, or none.

        `before` has to be what the index has; the time is of the square root of its size.
        """
        leaders = self.running_leaders - _takes_lead(before) + _takes_lead(after)
        old, new = _set_of(before), _set_of(after)
        sets: dict[str, Names] = {}
        if old != new:
            if before is not None:
                sets[old] = getattr(self, old).minus(name)
            if after is not None:
                sets[new] = getattr(self, new).plus(name)
        elif leaders == self.running_leaders:
            return self
        return replace(self, **sets, running_leaders=leaders)


def admissible(
    slots: Slots, changes: Iterable[PaceChange], limits: Limits
) -> tuple[TopicPartition, ...]:
    """Return who may begin a step, once these changes are made to the index, in order.

    Steps that bring another leader come first, as many as may; the others get what is left. The
    time is linear in the changes and in what is returned, not in what is pending.
    """
    for change in changes:
        slots = slots.updated(*change)
    free = max(limits.partitions - len(slots.running), 0)
    free_leaders = max(limits.leaders - slots.running_leaders, 0)
    first = tuple(islice(slots.leaders, min(free, free_leaders)))
    return (*first, *islice(slots.others, free - len(first)))


def _set_of(pace: Pace | None) -> str:
    """Name the set of the index that has moves of this pace."""
    if pace is None:
        return ""
    if pace.running is not None:
        return "running"
    if pace.waiting is not None:
        return "waiting"
    return "leaders" if pace.leads else "others"


def _takes_lead(pace: Pace | None) -> bool:
    """Tell whether a step runs that brings another leader."""
    return pace is not None and pace.running is not None and pace.running.kind == "leader"
