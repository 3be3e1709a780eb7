"""How fast messages with 10,000 partitions are encoded and decoded, next to other codecs.

`python -m klamm.tools.bench.codec` prints the median milliseconds, how many times faster klamm
is than each peer, round by round, and what was aimed at. `--java` adds Kafka's own classes,
`--smoke` makes it short.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from statistics import median
from typing import NamedTuple

from klamm.tools.bench import _codecs as codecs
from klamm.tools.bench import _messages as messages
from klamm.tools.bench._codecs import Contender, Task
from klamm.tools.bench._java_oracle import JavaOracle
from klamm.tools.bench._rounds import samples, times_faster

OURS = "klamm"
UNLIKE = "klamm, none alike"
"""Our worst case, to be seen beside the usual one: no two partitions with the same replicas."""


class Aim(NamedTuple):
    """How many times faster than a peer klamm is to be."""

    encode: float
    decode: float


class Size(NamedTuple):
    """How much is measured: topics of 100 partitions, rounds, seconds per sample, and warm-up."""

    topics: int
    rounds: int
    sample_s: float
    java_warm_up: int


FULL = Size(topics=100, rounds=25, sample_s=0.05, java_warm_up=300)
SMOKE = Size(topics=2, rounds=3, sample_s=0.002, java_warm_up=20)

CLIENTS = {"kafka-python": Aim(5, 2), "kio": Aim(10, 1 / 1.5)}
INTERPRETER = {"interpreter": Aim(20, 20)}


def lines(
    job: Task,
    contenders: Mapping[str, Contender],
    unlike: Contender,
    aims: Mapping[str, Aim],
    size: Size,
) -> Iterator[str]:
    """Measure everybody at one message; yield a table."""
    encode_s, decode_s = _samples(contenders, size)
    # On its own, as it drives out what the decoder keeps of usual messages.
    encode_unlike_s, decode_unlike_s = _samples({UNLIKE: unlike}, size)
    partitions = size.topics * messages.PARTITIONS
    yield f"{job.name} v{job.version}: {partitions:,} partitions, {len(job.data):,} bytes"
    yield f"  {'':18}  encode ms  decode ms   klamm's encode, decode are faster by (aim)"
    for name in contenders:
        row = _times(name, encode_s[name], decode_s[name])
        if name != OURS:
            aim = aims.get(name)
            encode_ratio = _ratio(times_faster(encode_s[OURS], encode_s[name]), aim and aim.encode)
            decode_ratio = _ratio(times_faster(decode_s[OURS], decode_s[name]), aim and aim.decode)
            row += f"   {encode_ratio},  {decode_ratio}"
        yield row
    yield _times(UNLIKE, encode_unlike_s[UNLIKE], decode_unlike_s[UNLIKE])
    yield ""


def _samples(
    contenders: Mapping[str, Contender], size: Size
) -> tuple[dict[str, list[float]], dict[str, list[float]]]:
    encode = {name: contender.encode for name, contender in contenders.items()}
    decode = {name: contender.decode for name, contender in contenders.items()}
    return samples(encode, size.rounds, size.sample_s), samples(decode, size.rounds, size.sample_s)


def _times(name: str, encode_s: list[float], decode_s: list[float]) -> str:
    return f"  {name:18}{median(encode_s) * 1e3:11.2f}{median(decode_s) * 1e3:11.2f}"


def _ratio(found: float, aim: float | None) -> str:
    if aim is None:
        return f"{found:6.2f}"
    return f"{found:6.2f} ({aim:.3g}{'' if found >= aim else ', missed'})"


def measure(size: Size, oracle: JavaOracle | None) -> Iterator[str]:
    """Measure every message; yield lines as they come."""
    jobs = [
        (
            codecs.task(messages.alter_partition_reassignments(size.topics, place), 0),
            codecs.task(messages.metadata(size.topics, place), 12),
            codecs.task(messages.leader_and_isr(size.topics, 3, place), 3),
            codecs.task(messages.leader_and_isr(size.topics, 7, place), 7),
        )
        for place in (messages.usual_replicas, messages.unlike_replicas)
    ]
    for job, unlike in zip(*jobs, strict=True):
        contenders = {OURS: codecs.klamm(job)}
        if job.name == "LeaderAndIsrRequest":
            aims = INTERPRETER
            contenders["interpreter"] = codecs.interpreter(job)
        else:
            aims = CLIENTS
            contenders["kafka-python"] = codecs.kafka_python(job)
            contenders["kio"] = codecs.kio(job)
        if oracle is not None:
            contenders["java"] = codecs.java(job, oracle, size.java_warm_up)
        yield from lines(job, contenders, codecs.klamm(unlike), aims, size)


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="python -m klamm.tools.bench.codec")
    parser.add_argument("--smoke", action="store_true", help="small messages, few rounds")
    parser.add_argument("--java", action="store_true", help="add Kafka's own classes")
    chosen = parser.parse_args()
    with ExitStack() as stack:
        oracle = stack.enter_context(JavaOracle()) if chosen.java else None
        for line in measure(SMOKE if chosen.smoke else FULL, oracle):
            print(line, flush=True)


if __name__ == "__main__":
    main()
