import re

import pytest

from klamm.protocol.codec import encode
from klamm.tools.bench import _messages as messages
from klamm.tools.bench import codec, startup
from klamm.tools.bench._codecs import klamm, task
from klamm.tools.bench._rounds import samples, times_faster


def test_rounds_are_interleaved() -> None:
    asked: list[tuple[str, int]] = []
    seconds = {"a": iter([9, 0.1, 9, 2, 3]), "b": iter([9, 0.5, 5, 6, 40])}

    def contender(name: str, times: int) -> float:
        asked.append((name, times))
        return next(seconds[name]) * times

    contenders = {
        "a": lambda times: contender("a", times),
        "b": lambda times: contender("b", times),
    }
    assert samples(contenders, 3, sample_s=1.0) == {"a": [9, 2, 3], "b": [5, 6, 40]}
    warm_up = [("a", 1), ("a", 1), ("b", 1), ("b", 1)]
    assert asked == [*warm_up, ("a", 10), ("b", 2), ("b", 2), ("a", 10), ("a", 10), ("b", 2)]


def test_each_round_is_compared_with_itself() -> None:
    assert times_faster([1, 10, 2], [3, 20, 200]) == 3


def test_replicas_lie_as_kafka_puts_them_or_never_twice_alike() -> None:
    usual = [messages.usual_replicas(number) for number in range(10_000)]
    assert usual[:2] == [(0, 1, 2), (1, 2, 3)]
    assert usual[29:32] == [(29, 0, 1), (0, 2, 3), (1, 3, 4)]
    assert all(len(set(replicas)) == 3 for replicas in usual)
    assert len(set(usual)) == 870
    assert len({messages.unlike_replicas(number) for number in range(10_000)}) == 10_000


def test_a_codec_with_other_bytes_is_not_timed() -> None:
    job = task(messages.metadata(1), 12)
    klamm(job)
    with pytest.raises(AssertionError, match="klamm: MetadataResponse v12 has other bytes"):
        klamm(job._replace(data=encode(messages.metadata(2), 12)))


@pytest.mark.slow
def test_every_message_is_measured_against_its_peers() -> None:
    text = "\n".join(codec.measure(codec.SMOKE, None))
    tables = re.split(r"\n\n", text.strip())
    assert [table.partition(":")[0] for table in tables] == [
        "AlterPartitionReassignmentsRequest v0",
        "MetadataResponse v12",
        "LeaderAndIsrRequest v3",
        "LeaderAndIsrRequest v7",
    ]
    for table, peers in zip(
        tables, [["kafka-python", "kio"]] * 2 + [["interpreter"]] * 2, strict=True
    ):
        rows = table.splitlines()[2:]
        assert [row[:20].strip() for row in rows] == ["klamm", *peers, "klamm, none alike"]
        for row in rows[1:-1]:
            aims = re.findall(r"\d+\.\d\d \((\d[\d.]*)(?:, missed)?\)", row)
            assert len(aims) == 2, row


def test_start_up_is_measured() -> None:
    rows = list(startup.lines(1))
    assert [row[:24].strip() for row in rows[1:]] == [*startup.COMMANDS, startup.UP]
    assert any(re.search(r"klamm --version +\d+ +\d+   under 150", row) for row in rows)
