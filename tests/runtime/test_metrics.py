"""What is counted about a node, by name."""

from pathlib import Path

from handlers.worlds import cluster, partition, topic

from klamm.controller.core.model import Assignment, Partition
from klamm.controller.node import Now
from klamm.controller.node.effects import Journal as Entry
from klamm.controller.node.effects import Severity
from klamm.controller.runtime.journal import Journal
from klamm.controller.runtime.journal_file import JournalFile
from klamm.controller.runtime.metrics import snapshot


def test_counters_have_the_names_of_kafkas_metrics() -> None:
    idle = partition((1, 2))
    moving = Partition(Assignment((3, 1, 2), (3,), (1,)), idle.leadership)
    leaderless = Partition(Assignment((3, 1), (3,), ()), None)
    state = cluster(topic("t", {0: idle, 1: moving}), topic("u", {0: leaderless}))
    assert snapshot(state, Journal(900)) == {
        "ActiveControllerCount": 1,
        "GlobalTopicCount": 2,
        "GlobalPartitionCount": 3,
        "ReassigningPartitions": 2,
        "ReassigningPartitionsByLeader": {-1: 1, moving.leader: 1},
        "JournalEntriesDropped": 0,
        "JournalFailing": 0,
    }


def test_a_journal_that_fails_is_counted(tmp_path: Path) -> None:
    with Journal(900, JournalFile(tmp_path / "journal", queue=1)) as journal:
        entry, now = Entry(Severity.INFO, "end", "", 1), Now(0.0, 0)
        for _ in range(10_000):
            journal.write(entry, now)
    journal.failure = "No space left on device"  # its thread has ended, which would take it back
    found = snapshot(None, journal)
    assert (found["ActiveControllerCount"], found["JournalFailing"]) == (0, 1)
    assert found["JournalEntriesDropped"] == journal.dropped > 0
