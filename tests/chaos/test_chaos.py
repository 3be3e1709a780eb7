"""`klamm chaos` as a process, with kafka-python as one more client."""

import json
import random
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest
from cli.commands import children_of, left_in, run, start
from kafka import KafkaAdminClient, TopicPartition
from kafka.errors import KafkaError
from processes import has_ended, wait_until
from slow import FACTOR

from klamm.tools.chaos.history import Final, Replicas, read
from klamm.tools.chaos.judge import counts, judge, load_journals
from klamm.tools.chaos.plan import AFTERMATH_SECONDS
from klamm.tools.chaos.registers import Op, unexplained

SECONDS = 30 * FACTOR
START_SECONDS, END_SECONDS = 120.0, 500.0
#: kafka-python waits so long before it asks again.
RETRY_SECONDS = 0.1
#: RuntimeError: "Failed to find active controller id!"
FAULTS = (KafkaError, RuntimeError)
TOPIC, FIRST = "stock", [[0, 1, 2], [1, 2, 3], [2, 3, 4]]


class StockClient:
    """kafka-python, which moves partitions of a topic of its own until it is told to end."""

    def __init__(self, bootstrap: str) -> None:
        self._bootstrap = bootstrap
        self.ended = threading.Event()
        self.accepted = 0
        self.fault: BaseException | None = None
        self.ops: dict[int, list[Op]] = {number: [] for number in range(len(FIRST))}
        self.thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        try:
            self._work()
        except BaseException as fault:  # carried over to the test
            self.fault = fault

    def _work(self) -> None:
        admin = KafkaAdminClient(bootstrap_servers=self._bootstrap, request_timeout_ms=5000)
        draw = random.Random(1)
        with closing(admin):
            self._create(admin)
            while not self.ended.is_set():
                number = draw.randrange(len(FIRST))
                target = None if draw.random() < 0.2 else draw.sample(range(6), 3)
                self._alter(admin, number, target)
                self.ended.wait(0.2)

    def _create(self, admin: KafkaAdminClient) -> None:
        """Create the topic, however often that takes: an answer may be lost."""
        while not self.ended.is_set():
            try:
                admin.create_topics({TOPIC: {"assignments": dict(enumerate(FIRST))}})
                return
            except FAULTS as error:
                if "TopicAlreadyExists" in repr(error):
                    return

    def _alter(self, admin: KafkaAdminClient, number: int, target: list[int] | None) -> None:
        begin = time.monotonic()
        name = TopicPartition(TOPIC, number)
        wanted = None if target is None else tuple(target)
        try:
            answer = admin.alter_partition_reassignments({name: target})
        except FAULTS:
            answer = {}  # it may have happened
        now, what = time.monotonic(), f"kafka-python's request for {target}"
        accepted = answer.get(name, KafkaError) is None
        if accepted:
            self.accepted += 1
            self.ops[number].append(Op(begin, now, what, wanted))
        if not accepted or now - begin > RETRY_SECONDS:
            # It asks again by itself if an answer is lost, so it may happen twice, and later.
            end = now + AFTERMATH_SECONDS
            self.ops[number].append(Op(begin, end, what, wanted, optional=True))


@pytest.mark.slow
def test_nothing_is_lost_while_everything_breaks(tmp_path: Path) -> None:
    folder, ready = tmp_path / "run", tmp_path / "ready.json"
    words = ["chaos", "--seconds", str(SECONDS), "--seed", "1", "--folder", str(folder)]
    with start(tmp_path, *words, "--ready-file", str(ready)) as process:
        try:
            wait_until(lambda: ready.exists() or process.poll() is not None, "chaos", START_SECONDS)
            assert ready.exists(), process.communicate()[0]
            family = children_of(process.pid)
            client = StockClient(json.loads(ready.read_text())["bootstrap"])
            client.thread.start()
            try:
                assert process.stdout is not None
                output = ""
                for line in process.stdout:
                    output += line
                    if line.startswith("faults and load have ended"):
                        break
            finally:
                client.ended.set()
                client.thread.join()
            rest, _ = process.communicate(timeout=END_SECONDS)
        finally:
            if process.poll() is None:
                process.kill()
    assert process.returncode == 0, output + rest
    assert client.fault is None, client.fault
    wait_until(lambda: all(map(has_ended, family)), f"processes {family} to end")

    events, journals = read(folder), load_journals(folder)
    assert not [verdict for verdict in judge(events, journals) if verdict.problems]
    found = counts(events, journals)
    assert found["accepted"] > 0
    assert found["takeovers"] > 1
    final = events[-1]
    assert isinstance(final, Final)
    assert client.accepted > 0
    for number, ops in client.ops.items():
        held = final.topics[TOPIC][number]
        end = time.monotonic()
        seen = Op(end, end, f"what is there at the end, {held}", seen=held)
        assert unexplained(Replicas(tuple(FIRST[number])), [*ops, seen]) is None


@pytest.mark.slow
def test_a_run_that_is_interrupted_leaves_no_process(tmp_path: Path) -> None:
    ready = tmp_path / "ready.json"
    words = ["chaos", "--seconds", "600", "--folder", str(tmp_path / "run")]
    with start(tmp_path, *words, "--ready-file", str(ready)) as process:
        wait_until(lambda: ready.exists() or process.poll() is not None, "chaos", START_SECONDS)
        assert ready.exists(), process.communicate()[0]
        family = children_of(process.pid)
        process.terminate()
        output, _ = process.communicate(timeout=START_SECONDS)
    assert process.returncode == 1
    assert "interrupted; what there is of the history is in" in output
    wait_until(lambda: all(map(has_ended, family)), f"processes {family} to end")
    assert left_in(tmp_path) == ["run"]
    status, output = run(tmp_path, "chaos", "--judge", str(tmp_path / "run"))
    assert (status, "BROKEN  the run came to its end" in output) == (1, True), output


def test_a_folder_that_holds_another_run_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "history.jsonl").write_bytes(b"")
    status, output = run(tmp_path, "chaos", "--folder", str(tmp_path))
    assert status == 1
    assert "holds the history of another run" in output
    assert left_in(tmp_path) == ["history.jsonl"]
