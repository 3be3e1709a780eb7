"""The fuzz target on its corpus and on seeded mutations; `guided.py` goes on where these end."""

from __future__ import annotations

import struct
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest
import slow
from fuzz.fuzz_connection import check, server_input
from fuzz.mutation import mutants
from fuzz.seeds import CORPUS, seeds

from klamm.protocol.primitives import uvarint

FILES = sorted(CORPUS.iterdir())
INPUTS = [path.read_bytes() for path in FILES]

# What is decoded is larger than its bytes: the worst is an unknown tagged field without content,
# three bytes on the wire and 240 in Python, and the target decodes everything twice. What must not
# be is memory for what a length merely promises.
MEMORY_BYTES_PER_BYTE = 250
MEMORY_BYTES_AT_ALL = 65_536
SECONDS_AT_MOST = 1.0


def test_the_corpus_holds_every_seed() -> None:
    stale = [
        name
        for name, data in seeds()
        if not (CORPUS / name).exists() or (CORPUS / name).read_bytes() != data
    ]
    assert not stale, "run PYTHONPATH=tests python -P -m fuzz.seeds"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_corpus(path: Path) -> None:
    check(path.read_bytes())


def run(seed: int, count: int) -> None:
    for number, data in enumerate(mutants(seed, INPUTS, count)):
        started = time.process_time()
        try:
            check(data)
        except Exception as error:
            error.add_note(f"seed {seed}, mutant {number}: {data.hex()}")
            raise
        assert time.process_time() - started < SECONDS_AT_MOST, data.hex()


def test_mutations() -> None:
    run(seed=455, count=6_000)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(slow.examples(2)))
def test_many_mutations(seed: int) -> None:
    run(seed, count=50_000)


def peak_bytes(data: bytes) -> int:
    tracemalloc.start()
    try:
        check(data)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def bombs() -> Iterator[bytes]:
    """Give requests of the smallest things, and as many as fit or a few too many."""
    tags = b"".join(uvarint(tag) + b"\0" for tag in range(128, 3_128))
    topics = b"\1\1\0" * 3_000
    for key, body in (
        (45, b"\0\0\0\0\1" + uvarint(3_000) + tags),
        (46, b"\0\0\0\0" + uvarint(3_001) + topics + b"\0"),
        (46, b"\0\0\0\0" + uvarint(3_004) + topics + b"\0"),
        (46, b"\0\0\0\0" + uvarint(2**31 - 1) + topics),
    ):
        request = struct.pack(">hhi", key, 0, 0) + b"\xff\xff\0" + body
        yield server_input(struct.pack(">i", len(request)) + request, pieces=100)


def test_memory_is_bounded_by_what_arrived() -> None:
    for data in INPUTS:
        check(data)  # so that no first import counts
    for data in (*bombs(), *mutants(435, INPUTS, 1_000)):
        limit = MEMORY_BYTES_AT_ALL + MEMORY_BYTES_PER_BYTE * len(data)
        # Caches that all connections share may grow just now, and other threads are counted too;
        # what the data themselves take, they take each time.
        assert any(peak_bytes(data) < limit for _ in range(5)), data.hex()


KEEP_AN_ERROR = """
import gc
from klamm.protocol import codec
from klamm.protocol.errors import DecodeError
from klamm.protocol.generated import AlterPartitionReassignmentsRequest

def keep(body):
    try:
        codec.decode(AlterPartitionReassignmentsRequest, body, 0)
    except DecodeError as error:
        kept = error  # a reference loop: frame, error, traceback, frame

keep(bytes.fromhex("000000000202740400000000020000000100000000010200000001 01ff"))
gc.collect()
"""


def test_a_kept_error_does_not_crash_the_interpreter() -> None:
    # Found here: a decoder that holds a memoryview in such a loop ends CPython 3.11 (gh-77894).
    done = subprocess.run(
        [sys.executable, "-P", "-c", KEEP_AN_ERROR], capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_the_seed_fixes_the_mutants() -> None:
    assert list(mutants(1, INPUTS, 50)) == list(mutants(1, INPUTS, 50))
    assert list(mutants(1, INPUTS, 50)) != list(mutants(2, INPUTS, 50))
