"""klamm explain against a cluster: each trouble made, named, mended as it says, and gone."""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner
from thin_line.world import eventually

from klamm.controller.configs.throttle_keys import FOLLOWER_LIST, FOLLOWER_RATE, LOG_DIR_RATE
from klamm.tools.admin import (
    Admin,
    AlterConfigOp,
    ConfigResource,
    NewTopic,
    OpType,
    ResourceType,
    TopicPartition,
    TopicPartitionReplica,
    errors,
)
from klamm.tools.brokers.control_client import Control
from klamm.tools.brokers.throttles import Quotas
from klamm.tools.cli._cluster import ClusterOptions, LocalCluster
from klamm.tools.cli._zookeepers import MEMORY
from klamm.tools.cli.explain import command
from klamm.tools.reassign.exits import Exit

BYTES = 100_000
VENV = Path(sys.executable).parent


@dataclass
class Explained:
    """What a run came to."""

    status: int
    out: str

    @property
    def causes(self) -> dict[str, list[str]]:
        """The causes at each partition, from `--json`."""
        return {
            f"{each['topic']}-{each['partition']}": [one["cause"] for one in each["findings"]]
            for each in json.loads(self.out)["partitions"]
        }


class Cluster:
    """Brokers 0 to 5 with two directories each, in memory, and a client."""

    def __init__(self, local: LocalCluster, admin: Admin) -> None:
        self.local = local
        self.admin = admin
        self.brokers = local.cluster.brokers

    def explain(self, *words: str) -> Explained:
        """Run the command as people type it."""
        run = CliRunner().invoke(command, ["--bootstrap-server", self.local.bootstrap, *words])
        assert run.exception is None or isinstance(run.exception, SystemExit), run.exception
        return Explained(run.exit_code, run.output)

    def causes(self, *words: str) -> dict[str, list[str]]:
        return self.explain("--watch", "0.3", "--json", *words).causes

    def topic(self, name: str, *replicas: int) -> TopicPartition:
        self.admin.create_topics([NewTopic(name, assignments={0: replicas})]).result()
        return TopicPartition(name, 0)

    def move(self, name: TopicPartition, *target: int) -> None:
        self.admin.alter_partition_reassignments({name: target}).result()

    def throttle(self, name: TopicPartition, broker: int, rate: int) -> None:
        listed = AlterConfigOp(FOLLOWER_LIST, OpType.SET, f"{name.partition}:{broker}")
        slow = AlterConfigOp(FOLLOWER_RATE, OpType.SET, str(rate))
        self.admin.incremental_alter_configs(
            {
                ConfigResource(ResourceType.TOPIC, name.topic): [listed],
                ConfigResource(ResourceType.BROKER, str(broker)): [slow],
            }
        ).result()
        self.await_quota(broker, lambda quotas: quotas.follower == rate)

    def await_quota(self, broker: int, holds: Callable[[Quotas], bool]) -> None:
        """Wait until the broker has read it: what is copied before would not be slowed."""
        model = self.brokers.cluster.brokers[broker]
        eventually(
            lambda: self.local.call(lambda: holds(model.throttles.quotas)),
            f"broker {broker} to know its throttle",
        )

    def kill(self, broker: int) -> None:
        with Control(self.local.cluster.control) as control:
            control.order("kill", broker=broker, end_session=True)
        eventually(
            lambda: broker not in self.admin.describe_cluster().result().brokers,
            f"broker {broker} to be gone",
        )

    def start(self, broker: int, *, new_disks: bool = False) -> None:
        with Control(self.local.cluster.control) as control:
            control.order("return", broker=broker, new_disks=new_disks)

    def await_end(self) -> None:
        eventually(
            lambda: not self.admin.list_partition_reassignments().result(), "all moves to end"
        )


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    options = ClusterOptions(
        range(6),
        zookeeper=MEMORY,
        partition_bytes=BYTES,
        bandwidth=1e7,
        log_dirs=("/data0", "/data1"),
    )
    with LocalCluster(options) as local, Admin.connect(local.bootstrap) as admin:
        yield Cluster(local, admin)


def test_nothing_moves(cluster: Cluster) -> None:
    at_rest = cluster.topic("rest", 0, 1)
    assert cluster.explain("--watch", "0") == Explained(Exit.DONE, "Nothing moves.\n")
    found = cluster.explain("rest:0", "--watch", "0")
    assert found.status == Exit.DONE
    assert found.out.startswith(f"{at_rest}: on 0, 1; 0 leads, in sync 0, 1: not moving\n")


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["rest-9"], Exit.FAILED, "Error: there is no partition rest-9"),
        (["nowhere:0"], Exit.FAILED, "Error: there is no partition nowhere-0"),
        (["rest"], Exit.USAGE, "'rest' names no partition; write TOPIC:PARTITION"),
        (["rest:99999999999"], Exit.USAGE, "names no partition"),
        (["--watch", "-1"], Exit.USAGE, "-1.0 is not in the range"),
        (["--command-config", "no.file"], Exit.FAILED, "Error: Unable to read no.file"),
    ],
)
def test_what_cannot_be_asked(cluster: Cluster, words: list[str], status: int, said: str) -> None:
    found = cluster.explain(*words)
    assert (found.status, said in found.out) == (status, True), found.out


@pytest.mark.req("R435-22")
def test_a_dead_target_and_back(cluster: Cluster) -> None:
    name = cluster.topic("dead", 0, 5)
    cluster.kill(5)
    cluster.move(name, 5, 1)
    found = cluster.explain("dead-0", "--watch", "0")
    assert found.status == Exit.STUCK
    assert "target-offline: broker 5, which keeps a replica, is not in the cluster" in found.out
    assert found.out.endswith("1 move: 1 stuck.\n")
    cluster.start(5)
    cluster.await_end()
    assert cluster.explain("--watch", "0").status == Exit.DONE


def test_a_replica_that_copies_nothing(cluster: Cluster) -> None:
    name = cluster.topic("frozen", 0, 1)
    cluster.local.call(cluster.brokers.freeze, 3)
    cluster.move(name, 0, 3)
    eventually(
        lambda: cluster.causes("frozen:0") == {"frozen-0": ["not-copying"]}, "it to be noticed"
    )
    cluster.local.call(cluster.brokers.thaw, 3)
    cluster.await_end()


def test_a_kept_replica_out_of_sync_holds_a_mere_shrink_up(cluster: Cluster) -> None:
    name = cluster.topic("shrink", 0, 1, 2)
    cluster.kill(1)
    cluster.move(name, 0, 1)
    assert cluster.causes("shrink:0") == {"shrink-0": ["target-offline", "kept-out-of-sync"]}
    cluster.start(1)
    cluster.await_end()


def test_a_throttle_that_is_no_rate_at_all_and_the_command_that_mends_it(
    cluster: Cluster, tmp_path: Path
) -> None:
    name = cluster.topic("slow", 0, 1)
    cluster.throttle(name, 4, 1)
    cluster.move(name, 0, 4)

    def seen() -> bool:
        return cluster.causes("slow:0") == {"slow-0": ["throttled-to-nothing"]}

    eventually(seen, "the throttle to be seen")
    found = json.loads(cluster.explain("--json", "--watch", "0.3").out)
    assert (found["moves"], found["stuck"], found["exit"]) == (1, 1, Exit.STUCK)
    [partition] = found["partitions"]
    [finding] = partition["findings"]
    assert finding["brokers"] == [4]
    assert finding["evidence"]["throttle"] == 1
    assert finding["evidence"]["throttled_by"] == FOLLOWER_RATE
    assert BYTES * 0.9 < finding["evidence"]["bytes_behind"] <= BYTES

    [line] = finding["commands"]
    done = subprocess.run(
        ["bash", "-c", f"PATH={VENV}:$PATH; {line}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    cluster.await_end()


def test_a_leader_that_nobody_may_be(cluster: Cluster) -> None:
    name = cluster.topic("dark", 2, 3)
    cluster.kill(3)
    eventually(
        lambda: cluster.admin.describe_topics(["dark"]).result()["dark"].partitions[0].isr == (2,),
        "2 to be alone in sync",
    )
    cluster.local.call(cluster.brokers.freeze, 3)
    cluster.start(3)
    cluster.kill(2)
    cluster.move(name, 3, 4)
    causes = cluster.causes("dark:0")
    assert causes["dark-0"][0] == "needs-unclean-leader"
    cluster.local.call(cluster.brokers.thaw, 3)
    cluster.start(2)
    cluster.await_end()


def test_rates_are_seen_while_it_copies(cluster: Cluster) -> None:
    name = cluster.topic("copy", 0, 1)
    cluster.throttle(name, 5, 20_000)
    cluster.move(name, 0, 5)
    found = cluster.explain("copy:0", "--json", "--watch", "0.5")
    assert found.causes == {"copy-0": ["copying"]}
    assert found.status == Exit.DONE
    [partition] = json.loads(found.out)["partitions"]
    assert partition["state"] == "going on"
    cluster.throttle(name, 5, 100_000_000)
    cluster.await_end()


def test_a_replica_between_directories(cluster: Cluster) -> None:
    name = cluster.topic("dirs", 1, 2)
    key = ConfigResource(ResourceType.BROKER, "1")
    slow = AlterConfigOp(LOG_DIR_RATE, OpType.SET, "1")
    cluster.admin.incremental_alter_configs({key: [slow]}).result()
    cluster.await_quota(1, lambda quotas: quotas.log_dirs == 1)
    [path] = {"/data0", "/data1"} - {
        each.path
        for each in cluster.admin.describe_log_dirs([1]).result()[1]
        if name in each.replicas
    }
    cluster.admin.alter_replica_log_dirs({TopicPartitionReplica("dirs", 0, 1): path}).result()
    assert cluster.causes() == {"dirs-0": ["log-dir-move-throttled"]}
    found = cluster.explain("--watch", "0")
    assert found.status == Exit.STUCK
    assert found.out.endswith("Nothing moves; 1 more with something to tell.\n")
    fast = AlterConfigOp(LOG_DIR_RATE, OpType.DELETE)
    cluster.admin.incremental_alter_configs({key: [fast]}).result()
    eventually(lambda: cluster.causes() == {}, "the replica to be there")


def test_a_failed_directory(cluster: Cluster) -> None:
    name = cluster.topic("disk", 0, 1)
    cluster.throttle(name, 4, 2000)
    cluster.move(name, 0, 4)
    eventually(
        lambda: any(
            name in each.replicas for each in cluster.admin.describe_log_dirs([4]).result()[4]
        ),
        "broker 4 to have a log",
    )
    [path] = [
        each.path
        for each in cluster.admin.describe_log_dirs([4]).result()[4]
        if name in each.replicas
    ]
    cluster.local.call(cluster.brokers.fail_directory, 4, path)
    end = time.monotonic() + 20
    while cluster.causes("disk:0") != {"disk-0": ["log-dir-failed"]}:
        assert time.monotonic() < end, cluster.explain("disk:0").out
    assert cluster.explain("disk:0").status == Exit.STUCK
    cluster.admin.alter_partition_reassignments({name: None}).result()
    cluster.kill(4)
    cluster.start(4, new_disks=True)
    cluster.await_end()


def test_a_cluster_that_is_not_klamm_tells_enough() -> None:
    options = ClusterOptions(
        range(3),
        zookeeper=MEMORY,
        frozen=[2],
        properties={"klamm.describe.reassignments.enable": "false"},
    )
    with LocalCluster(options) as local, Admin.connect(local.bootstrap) as admin:
        with pytest.raises(errors.UnsupportedVersionError):
            admin.describe_reassignments().result()
        cluster = Cluster(local, admin)
        name = cluster.topic("plain", 0)
        cluster.move(name, 0, 2)
        eventually(lambda: cluster.causes() == {"plain-0": ["not-copying"]}, "it to be noticed")
