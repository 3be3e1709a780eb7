"""--cancel of a move that is made in steps: it says what a cancel cannot bring back."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from reassign.tool import Tool, plan
from thin_line.world import eventually

from klamm.controller.configs.cluster_wide import REPLICA_MOVEMENTS
from klamm.tools.admin import Admin, NewTopic, StepDetails, TopicPartition
from klamm.tools.cli._cluster import ClusterOptions, LocalCluster
from klamm.tools.cli._zookeepers import MEMORY

FILE = "--reassignment-json-file"
ORIGIN, TARGET = (0, 1, 2, 3, 4), (5, 6, 7, 8, 9)


class Stepped:
    """Brokers 0 to 9; two replicas of a partition move at a time."""

    def __init__(self, local: LocalCluster, admin: Admin) -> None:
        self.local = local
        self.admin = admin
        self._topics = 0

    @contextmanager
    def held_at(self, frozen: int) -> Iterator[TopicPartition]:
        """Let KIP-435's own example go on until it adds a broker that copies nothing."""
        self._topics += 1
        name = TopicPartition(f"t{self._topics}", 0)
        self.admin.create_topics([NewTopic(name.topic, assignments={0: ORIGIN})]).result()
        self.local.call(self.local.cluster.brokers.freeze, frozen)
        try:
            self.admin.alter_partition_reassignments({name: TARGET}).result()
            eventually(lambda: frozen in self.step(name).adding, f"a step that adds {frozen}")
            yield name
        finally:
            self.local.call(self.local.cluster.brokers.thaw, frozen)

    def step(self, name: TopicPartition) -> StepDetails:
        step = self.admin.describe_reassignments({name}).result()[name].step
        assert step is not None
        return step

    def replicas(self, name: TopicPartition) -> tuple[int, ...]:
        [found] = self.admin.describe_topics([name.topic]).result().values()
        return found.partitions[0].replicas


@pytest.fixture(scope="module")
def stepped() -> Iterator[Stepped]:
    options = ClusterOptions(
        range(10),
        zookeeper=MEMORY,
        partition_bytes=1000,
        bandwidth=1e6,
        properties={REPLICA_MOVEMENTS: "2", "klamm.describe.reassignments.enable": "true"},
    )
    with LocalCluster(options) as local, Admin.connect(local.bootstrap) as admin:
        yield Stepped(local, admin)


@pytest.mark.req("R435-51", "R435-54")
def test_before_the_first_drop_the_origin_comes_back_and_there_is_nothing_to_warn_of(
    stepped: Stepped, tmp_path: Path
) -> None:
    with stepped.held_at(6) as name:
        file = plan(tmp_path, {name: TARGET})
        run = Tool(stepped.local.bootstrap)("--cancel", FILE, file)
        assert run.status == 0
        assert "come back only by another reassignment" not in run.err
    eventually(lambda: stepped.replicas(name) == ORIGIN, "the origin to be back")


@pytest.mark.req("R435-51", "R435-54")
@pytest.mark.parametrize("words", [(), ("--json",), ("--restore-order",)])
def test_afterwards_the_present_set_stays_and_the_first_one_is_named(
    stepped: Stepped, tmp_path: Path, words: tuple[str, ...]
) -> None:
    with stepped.held_at(7) as name:
        file = plan(tmp_path, {name: TARGET})
        run = Tool(stepped.local.bootstrap)("--cancel", *words, FILE, file)
    warning = (
        f"Warning: the cancel leaves {name} on 5,6,2,3,4. Its replicas before the move come back"
        " only by another reassignment, to 0,1,2,3,4."
    )
    assert run.err.splitlines().count(warning) == 1
    eventually(lambda: stepped.replicas(name) == (5, 6, 2, 3, 4), "the present set to stay")
    if words == ("--json",):
        lost = {str(name): {"left": [5, 6, 2, 3, 4], "first": [*ORIGIN]}}
        assert json.loads(run.out)["not_restorable"] == lost
