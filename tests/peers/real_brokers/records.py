"""Records that must not be lost: numbered, acknowledged by the whole ISR, read back."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from kafka import KafkaConsumer, KafkaProducer, TopicPartition
from processes import wait_until

SIZE = 4000
PAUSE_SECONDS = 0.002
FETCH_SECONDS = 60.0


class Records:
    """A producer that goes on while the block runs.

    Without idempotence a record may be there twice. `acknowledged` are the numbers that the brokers
    have promised to keep; `refused` are the errors of the others, which may be kept or not.
    """

    def __init__(self, servers: Sequence[str], topic: str, partitions: int = 1) -> None:
        self._topic = topic
        self._partitions = partitions
        self.acknowledged: set[int] = set()
        self.refused: list[BaseException] = []
        self._sent = 0
        self._end = threading.Event()
        self._producer = KafkaProducer(
            bootstrap_servers=servers,
            acks="all",
            enable_idempotence=False,
            linger_ms=0,
            retry_backoff_ms=50,
            request_timeout_ms=10_000,
            metadata_max_age_ms=5_000,
        )
        self._thread = threading.Thread(target=self._run, name=f"records-of-{topic}")

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._end.set()
        self._thread.join()
        self._producer.flush(FETCH_SECONDS)
        self._producer.close()

    def await_more(self, number: int = 200) -> None:
        """Wait until that many records more are acknowledged, whatever came before."""
        wanted = len(self.acknowledged) + number
        wait_until(
            lambda: len(self.acknowledged) >= wanted,
            f"{number} more records of {self._topic} acknowledged; refused: {self.refused[-3:]}",
            FETCH_SECONDS,
        )

    def _run(self) -> None:
        while not self._end.is_set():
            number = self._sent
            self._sent += 1
            future = self._producer.send(
                self._topic, _value(number), partition=number % self._partitions
            )
            future.add_callback(lambda _, number=number: self.acknowledged.add(number))
            future.add_errback(self.refused.append)
            time.sleep(PAUSE_SECONDS)


def read_back(servers: Sequence[str], topic: str, partitions: int = 1) -> set[int]:
    """Return the numbers of all records that the topic holds."""
    consumer = KafkaConsumer(
        bootstrap_servers=servers, group_id=None, enable_auto_commit=False, max_poll_records=5000
    )
    try:
        places = [TopicPartition(topic, partition) for partition in range(partitions)]
        consumer.assign(places)
        consumer.seek_to_beginning(*places)
        ends = consumer.end_offsets(places)
        found: set[int] = set()
        deadline = time.monotonic() + FETCH_SECONDS
        while any(consumer.position(place) < ends[place] for place in places):
            assert time.monotonic() < deadline, f"{topic}: read up to {ends} in vain"
            for batch in consumer.poll(timeout_ms=500).values():
                found.update(_number(record.value) for record in batch)
        return found
    finally:
        consumer.close()


def _value(number: int) -> bytes:
    return str(number).encode().ljust(SIZE, b".")


def _number(value: bytes) -> int:
    assert len(value) == SIZE
    return int(value.rstrip(b"."))
