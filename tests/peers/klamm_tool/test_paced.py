"""A plan in portions on Kafka's own brokers: held back, watched, and done."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from peers.java_tools.side_by_side import FILE
from peers.klamm_tool.stage import PATIENCE, Stage
from processes import wait_until
from reassign.tool import Run, plan

from klamm.protocol.generated.alter_partition_reassignments_request import (
    AlterPartitionReassignmentsRequest,
)

pytestmark = pytest.mark.slow

PORTION = 2
COUNT = 6
RATE = ("--throttle", "1000000")
LOOKS = ("--reassignment-poll-interval-ms", "100")


@pytest.mark.parametrize("mode", [(), ("--incremental",)], ids=["steps", "incremental"])
def test_no_more_than_a_portion_moves(
    stage: Stage, name: str, tmp_path: Path, mode: tuple[str, ...]
) -> None:
    """Seen by the controller's own list, while `--progress` tells of the same from its bytes."""
    topic = stage.topic(name, *[[1, 2]] * COUNT, records=1000)
    file = plan(tmp_path, {(topic, number): [3, 2] for number in range(COUNT)})
    words = ("--execute", "--reassignment-batch-size", str(PORTION), *mode, "--wait", *RATE, *LOOKS)
    seen = set()
    with ThreadPoolExecutor(2) as pool:
        running = pool.submit(stage.tool.klamm, *words, FILE, file)
        wait_until(lambda: running.done() or bool(stage.moving()), "the first portion", PATIENCE)
        watching = pool.submit(stage.tool.klamm, "--progress", "--interval-ms", "100", FILE, file)
        while not running.done():
            moving = stage.moving()
            assert len(moving) <= PORTION
            seen |= moving
        done, watched = running.result(), watching.result(PATIENCE)
    assert (done.status, done.err) == (0, "")
    assert done.lines[-1] == "Completed partition reassignments of the whole plan"
    assert {number for group in groups(done) for number in group} == {*range(COUNT)}
    assert max(map(len, groups(done))) <= PORTION
    assert len(seen) > PORTION
    check_progress(watched)
    stage.await_placed({number: [3, 2] for number in range(COUNT)}, topic)
    assert {one.isr for one in stage.partitions(topic).values()} <= {(2, 3), (3, 2)}
    verified = stage.tool.both("--verify", FILE, file)
    assert verified[-2:] == [
        "Clearing broker-level throttles on brokers 1,2,3",
        f"Clearing topic-level throttles on topic {topic}",
    ]


def groups(run: Run) -> list[list[int]]:
    """Return the partition numbers of each request for moves."""
    return [
        [one.partition_index for topic in request.topics for one in topic.partitions]
        for request in run.bodies(AlterPartitionReassignmentsRequest)
    ]


def check_progress(run: Run) -> None:
    """Bytes come in, never more than a portion's at a time, and all are there in the end."""
    assert run.status == 0, run
    moments = [json.loads(line) for line in run.lines]
    assert all(moment["partitions"]["moving"] <= PORTION for moment in moments)
    assert any(0 < moment["bytes"]["done"] < moment["bytes"]["total"] for moment in moments)
    assert any(moment["rate"] > 0 and moment["seconds_left"] for moment in moments)
    last = moments[-1]
    assert (last["partitions"]["done"], last["partitions"]["total"]) == (COUNT, COUNT)
    assert last["bytes"]["done"] == last["bytes"]["total"] > 0
    assert (last["pace"], last["slowest"]) == ("done", [])


def test_a_run_that_was_given_up_goes_on(stage: Stage, name: str, tmp_path: Path) -> None:
    """The deadline leaves the first portion moving; the same file goes on from there."""
    topic = stage.topic(name, *[[1]] * 4, records=400, held=True)
    file = plan(tmp_path, {(topic, number): [2] for number in range(4)})
    portions = ("--execute", "--reassignment-batch-size", "2", *LOOKS)
    given_up = stage.tool.klamm(*portions, "--throttle", "1", "--deadline-ms", "1500", FILE, file)
    assert (given_up.status, given_up.lines[-1]) == (
        3,
        f"Timed out after 1500 ms waiting for: {topic}-0,{topic}-1",
    )
    assert given_up.err.splitlines()[-1] == f"Not submitted: {topic}-2,{topic}-3"
    assert len(stage.tool.both("--list")) == 3
    again = stage.tool.klamm(
        *portions, "--resume", "--wait", "--additional", "--throttle", "100000000", FILE, file
    )
    assert again.status == 0, again
    assert groups(again) == [[2, 3]]
    stage.await_placed({number: [2] for number in range(4)}, topic)
    assert stage.tool.both("--verify", FILE, file)[1].endswith("is completed.")
