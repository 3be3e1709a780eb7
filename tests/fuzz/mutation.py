"""Seeded mutations of known inputs: what fuzzing does where no coverage can guide it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from random import Random

#: Lengths and counts at which readers go wrong: small, negative, around a type's end.
INTERESTING = (
    b"\x00", b"\x01", b"\x7f", b"\x80", b"\xff",
    b"\xff\xff", b"\x7f\xff", b"\xff\x7f", b"\x80\x80\x01",
    b"\xff\xff\xff\xff", b"\xff\xff\xff\xfe", b"\x7f\xff\xff\xff", b"\x80\x00\x00\x00",
    b"\xff\xff\xff\xff\x0f", b"\xff\xff\xff\xff\x7f", b"\x80\x80\x80\x80\x10",
)  # fmt: skip

Mutation = Callable[[Random, bytearray, Sequence[bytes]], None]


def _flip(random: Random, data: bytearray, _: Sequence[bytes]) -> None:
    data[random.randrange(len(data))] ^= 1 << random.randrange(8)


def _overwrite(random: Random, data: bytearray, _: Sequence[bytes]) -> None:
    value = random.choice(INTERESTING)
    place = random.randrange(len(data))
    data[place : place + len(value)] = value


def _insert(random: Random, data: bytearray, _: Sequence[bytes]) -> None:
    place = random.randrange(len(data) + 1)
    data[place:place] = random.choice((*INTERESTING, random.randbytes(random.randrange(1, 9))))


def _delete(random: Random, data: bytearray, _: Sequence[bytes]) -> None:
    place = random.randrange(len(data))
    del data[place : place + random.randrange(1, 9)]


def _repeat(random: Random, data: bytearray, _: Sequence[bytes]) -> None:
    place = random.randrange(len(data))
    data[place:place] = data[place : place + random.randrange(1, 65)]


def _cross(random: Random, data: bytearray, corpus: Sequence[bytes]) -> None:
    other = random.choice(corpus)
    data[random.randrange(len(data)) :] = other[random.randrange(len(other)) :]


MUTATIONS: tuple[Mutation, ...] = (_flip, _overwrite, _insert, _delete, _repeat, _cross)


def mutants(seed: int, corpus: Sequence[bytes], count: int) -> Iterator[bytes]:
    """Give `count` inputs, each some mutations away from one of the corpus; the seed fixes all."""
    random = Random(seed)
    for _ in range(count):
        data = bytearray(random.choice(corpus))
        for _ in range(random.choice((1, 1, 1, 2, 4, 8))):
            if data:
                random.choice(MUTATIONS)(random, data, corpus)
        yield bytes(data)
