"""Changes that are judged before and taken back after, on a cluster in memory."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from reassign.tool import Run, Tool, plan
from thin_line.world import eventually

from klamm.controller.configs.throttle_keys import (
    FOLLOWER_LIST,
    FOLLOWER_RATE,
    LEADER_LIST,
    LEADER_RATE,
)
from klamm.tools.admin import (
    Admin,
    AlterConfigOp,
    ConfigResource,
    NewTopic,
    OpType,
    ResourceType,
    TopicPartition,
    errors,
)
from klamm.tools.brokers.control_client import Control
from klamm.tools.cli._cluster import ClusterOptions, LocalCluster
from klamm.tools.cli._zookeepers import MEMORY
from klamm.tools.reassign import verdicts
from klamm.tools.reassign.exits import Exit

FILE = "--reassignment-json-file"


class Cluster:
    """Brokers 0 to 5 in three racks, and a client."""

    def __init__(self, local: LocalCluster, admin: Admin) -> None:
        self.local = local
        self.admin = admin
        self.tool = Tool(local.bootstrap)

    def topic(self, name: str, *replicas: int) -> TopicPartition:
        self.admin.create_topics([NewTopic(name, assignments={0: replicas})]).result()
        eventually(lambda: self.isr(name) == {*replicas}, f"{name} to be in sync")
        return TopicPartition(name, 0)

    def isr(self, topic: str) -> set[int]:
        found = self.admin.describe_topics([topic]).result()
        return {*found[topic].partitions[0].isr}

    def replicas(self, topic: str) -> tuple[int, ...]:
        return self.admin.describe_topics([topic]).result()[topic].partitions[0].replicas

    def freeze(self, broker: int) -> None:
        self.local.call(self.local.cluster.brokers.freeze, broker)

    def thaw(self, broker: int) -> None:
        self.local.call(self.local.cluster.brokers.thaw, broker)

    def order(self, name: str, broker: int, **details: bool) -> None:
        with Control(self.local.cluster.control) as control:
            control.order(name, broker=broker, **details)

    def moves(self) -> list[TopicPartition]:
        return [*self.admin.list_partition_reassignments().result()]

    def configure(self, kind: ResourceType, name: str, **values: str) -> None:
        ops = [AlterConfigOp(KEYS[key], OpType.SET, value) for key, value in values.items()]
        self.admin.incremental_alter_configs({ConfigResource(kind, name): ops}).result()

    def config(self, kind: ResourceType, name: str) -> dict[str, str | None]:
        """Return the throttles that are set."""
        [entries] = self.admin.describe_configs([ConfigResource(kind, name)]).result().values()
        found = {short: entries.get(key) for short, key in KEYS.items()}
        return {short: entry.value for short, entry in found.items() if entry and entry.value}


KEYS = {
    "leaders": LEADER_LIST,
    "followers": FOLLOWER_LIST,
    "leading": LEADER_RATE,
    "following": FOLLOWER_RATE,
}
TOPIC, BROKER = ResourceType.TOPIC, ResourceType.BROKER


@pytest.fixture(scope="module")
def running() -> Iterator[Cluster]:
    options = ClusterOptions(
        range(6), zookeeper=MEMORY, partition_bytes=1000, bandwidth=1e6, racks=3
    )
    with LocalCluster(options) as local, Admin.connect(local.bootstrap) as admin:
        yield Cluster(local, admin)


@pytest.fixture
def cluster(running: Cluster) -> Iterator[Cluster]:
    """The cluster, with nothing moving, nobody frozen and no throttle afterwards."""
    yield running
    for broker in range(6):
        running.thaw(broker)
    eventually(lambda: not running.moves(), "all moves to end")
    assert running.tool("--sweep", "--yes").status == Exit.DONE


def facts(run: Run) -> dict[str, object]:
    found: dict[str, object] = json.loads(run.out)
    return found


def test_a_plan_is_checked_and_nothing_is_started(cluster: Cluster, tmp_path: Path) -> None:
    cluster.topic("checked", 0, 1)
    run = cluster.tool("--check", FILE, plan(tmp_path, {("checked", 0): [4, 1, 3]}))
    assert (run.status, run.lines) == (
        Exit.DONE,
        [
            "1 partition: 2 replicas to add, 1 to remove, 2000 bytes to copy",
            "  to broker 3: 1000 bytes",
            "  to broker 4: 1000 bytes",
            "Get another leader: checked-0",
            "Get another preferred leader: checked-0",
            "checked-0 has 2 replicas, and will have 3",
            "No problem found.",
        ],
    )
    assert run.keys(34, 44, 45) == []

    run = cluster.tool("--check", "--json", FILE, plan(tmp_path, {("checked", 0): [77]}))
    assert run.status == Exit.FAILED
    found = facts(run)["check"]
    assert isinstance(found, dict)
    assert found["problems"] == ["broker 77 is not in the cluster"]
    assert cluster.tool("--check").status == Exit.USAGE


def test_a_check_before_the_start_changes_nothing_of_what_is_printed(
    cluster: Cluster, tmp_path: Path
) -> None:
    cluster.topic("before", 0, 1)
    file = plan(tmp_path, {("before", 0): [0, 2]})
    run = cluster.tool("--execute", "--plan-check", FILE, file)
    assert run.status == 0
    assert run.lines[0] == "Current partition replica assignment"
    assert run.err.splitlines()[-1] == "No problem found."

    folders = {("before", 0): ["/nowhere", "any"]}
    file = plan(tmp_path, {("before", 0): [3, 2]}, folders)
    run = cluster.tool("--execute", "--additional", "--plan-check", FILE, file)
    assert (run.status, run.keys(34, 44, 45)) == (1, [])
    assert run.lines == [
        "Error: The plan check has found that broker 3 has no log directory /nowhere"
    ]


def test_the_way_back_is_in_a_file_and_puts_the_order_back(
    cluster: Cluster, tmp_path: Path
) -> None:
    cluster.topic("back", 2, 1, 0)
    cluster.freeze(3)
    file = plan(tmp_path, {("back", 0): [3, 0, 2]})
    run = cluster.tool("--execute", FILE, file)
    assert (run.status, run.err) == (0, "")
    [saved] = tmp_path.glob("*.rollback-*.json")
    assert json.loads(saved.read_text()) == json.loads(run.lines[2])

    assert cluster.tool("--cancel", FILE, file).status == 0
    assert {*cluster.replicas("back")} == {0, 1, 2}
    run = cluster.tool("--execute", "--no-rollback-file", FILE, str(saved))
    assert run.status == 0, run.out
    eventually(lambda: cluster.replicas("back") == (2, 1, 0), "the order of before")
    assert [*tmp_path.glob("*.rollback-*.json")] == [saved]

    both = ("--no-rollback-file", "--rollback-file", "x")
    run = cluster.tool("--execute", *both, FILE, file)
    assert run.lines == ["Error: --rollback-file and --no-rollback-file exclude each other"]
    run = cluster.tool("--execute", "--rollback-file", str(saved), FILE, file)
    assert (run.status, run.keys(45)) == (1, [])
    assert run.lines == [f"Error: {saved} is there already; name another file"]


def test_a_cancel_that_would_lose_everything_is_told_before(
    cluster: Cluster, tmp_path: Path
) -> None:
    """F15: the originals die during the move, and a new replica has the only data left."""
    cluster.topic("dark", 1, 2)
    cluster.freeze(4)
    file = plan(tmp_path, {("dark", 0): [3, 4]})
    assert cluster.tool("--execute", FILE, file).status == 0
    eventually(lambda: 3 in cluster.isr("dark"), "3 to be in sync")
    for broker in (1, 2):
        cluster.order("kill", broker, end_session=True)
    eventually(lambda: cluster.isr("dark") == {3}, "3 to be alone")

    for rule in ("kraft", "min-isr", "originals"):
        run = cluster.tool("--cancel", "--cancel-rule", rule, FILE, file)
        assert (run.status, run.keys(44, 45)) == (1, [])
        assert run.lines[0] == f"Nothing is cancelled, for --cancel-rule {rule} is against it:"
        assert run.err.startswith("Cancelling dark-0 would take away the only replicas")
    assert cluster.moves() == [TopicPartition("dark", 0)]

    # klamm's server refuses it of itself, as KRaft does; the warning has said why.
    run = cluster.tool("--cancel", FILE, file)
    assert (run.status, run.keys(45)) == (1, [45])
    assert "would require an unclean leader election" in run.out
    assert run.err.startswith("Cancelling dark-0 would take away the only replicas")

    for broker in (1, 2):
        cluster.order("return", broker, new_disks=False)


def test_a_cancel_that_all_rules_pass_is_done(cluster: Cluster, tmp_path: Path) -> None:
    cluster.topic("bright", 1, 2)
    cluster.freeze(4)
    file = plan(tmp_path, {("bright", 0): [3, 4]})
    for rule in ("zk", "kraft", "min-isr", "originals"):
        assert cluster.tool("--execute", FILE, file).status == 0
        run = cluster.tool("--cancel", "--cancel-rule", rule, FILE, file)
        assert (run.status, run.err) == (0, "")
        assert run.lines[0] == ("Successfully cancelled partition reassignment for: bright-0")
    run = cluster.tool("--cancel", "--cancel-rule", "any", FILE, file)
    assert run.status == 1
    assert "must be zk, kraft, min-isr, originals" in run.err


def test_who_may_not_look_may_cancel_all_the_same(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster.topic("blind", 1, 2)
    cluster.freeze(4)
    file = plan(tmp_path, {("blind", 0): [3, 4]})
    assert cluster.tool("--execute", FILE, file).status == 0

    def refused(*_: object) -> object:
        raise errors.TopicAuthorizationFailedError

    monkeypatch.setattr(verdicts, "of_cancel", refused)
    run = cluster.tool("--cancel", "--cancel-rule", "zk", FILE, file)
    assert (run.status, run.lines) == (1, ["Error: Topic authorization failed."])
    run = cluster.tool("--cancel", FILE, file)
    assert run.status == 0
    assert run.err == ("Nobody could see what the cancel would lose: Topic authorization failed.\n")
    assert cluster.moves() == []


def test_throttles_of_others_outlive_a_plan(cluster: Cluster, tmp_path: Path) -> None:
    cluster.topic("owned", 0, 1)
    cluster.configure(TOPIC, "owned", leaders="0:5")
    cluster.configure(BROKER, "1", leading="5000")
    before = {"owned": {"leaders": "0:5"}, "1": {"leading": "5000"}}
    cluster.freeze(2)
    file = plan(tmp_path, {("owned", 0): [0, 2]})
    record = Path(file.replace(".json", ".throttles.json"))

    run = cluster.tool("--execute", "--own-throttles", "--throttle", "700", FILE, file)
    assert (run.status, run.err) == (0, "")
    assert cluster.config(TOPIC, "owned") == {"leaders": "0:5,0:0,0:1", "followers": "0:2"}
    assert cluster.config(BROKER, "1") == {"leading": "700", "following": "700"}
    assert record.exists()

    # Somebody else slows broker 0 down meanwhile.
    cluster.configure(BROKER, "0", leading="1234")
    run = cluster.tool("--cancel", "--own-throttles", FILE, file)
    assert run.status == 0
    assert cluster.config(TOPIC, "owned") == before["owned"]
    assert cluster.config(BROKER, "1") == before["1"]
    assert cluster.config(BROKER, "0") == {"leading": "1234"}
    assert cluster.config(BROKER, "2") == {}
    assert f"Leaving {LEADER_RATE}=1234 of broker 0, which others have set." in run.err
    assert f"Leaving {LEADER_LIST}=0:5 of topic owned, which others have set." in run.err
    assert not record.exists()


def test_a_record_that_cannot_be_replaced_stays_and_nothing_is_set(
    cluster: Cluster, tmp_path: Path
) -> None:
    cluster.topic("kept", 0, 1)
    cluster.freeze(2)
    file = plan(tmp_path, {("kept", 0): [0, 2]})
    words = ("--own-throttles", "--throttle")
    assert cluster.tool("--execute", *words, "700", FILE, file).status == 0
    record = Path(file.replace(".json", ".throttles.json"))
    before = record.read_text()

    in_the_way = record.with_name(f"{record.name}.new")
    in_the_way.mkdir()
    run = cluster.tool("--execute", "--additional", *words, "900", FILE, file)
    assert run.status == 1
    assert f"{record} cannot be written: " in run.out
    assert record.read_text() == before
    assert cluster.config(BROKER, "0")["leading"] == "700"

    in_the_way.rmdir()
    assert cluster.tool("--cancel", "--own-throttles", FILE, file).status == 0
    assert cluster.config(BROKER, "0") == cluster.config(TOPIC, "kept") == {}
    cluster.thaw(2)


def test_verify_takes_back_what_is_ours(cluster: Cluster, tmp_path: Path) -> None:
    cluster.topic("mine", 0, 1)
    cluster.configure(BROKER, "5", following="9")
    file = plan(tmp_path, {("mine", 0): [0, 3]})
    run = cluster.tool("--execute", "--own-throttles", "--throttle", "1000000", FILE, file)
    assert run.status == 0
    eventually(lambda: not cluster.moves(), "the move to end")
    assert cluster.tool("--verify", "--own-throttles", FILE, file).status == 0
    assert cluster.config(BROKER, "5") == {"following": "9"}
    assert cluster.config(BROKER, "3") == cluster.config(TOPIC, "mine") == {}


def test_leftovers_are_shown_and_then_removed(cluster: Cluster, tmp_path: Path) -> None:
    cluster.topic("left", 0, 1)
    cluster.topic("moves", 0, 1)
    assert cluster.tool("--sweep").lines == ["No leftover throttles found."]
    cluster.configure(TOPIC, "left", followers="0:3")
    cluster.configure(TOPIC, "moves", followers="0:2")
    cluster.configure(BROKER, "3", following="1")

    cluster.freeze(2)
    assert cluster.tool("--execute", FILE, plan(tmp_path, {("moves", 0): [0, 2]})).status == 0
    run = cluster.tool("--sweep")
    assert run.lines[0] == f"topic left: {FOLLOWER_LIST}=0:3"
    assert run.lines[1:] == ["1 leftover throttle; run --sweep --yes to remove what is shown."]
    assert run.err.startswith("1 partition move")
    cluster.thaw(2)
    eventually(lambda: not cluster.moves(), "the move to end")

    run = cluster.tool("--sweep", "--json")
    found = facts(run)["leftovers"]
    assert isinstance(found, list)
    assert [(each["name"], each["value"]) for each in found] == [
        ("left", "0:3"),
        ("moves", "0:2"),
        ("3", "1"),
    ]
    assert run.keys(44) == []
    run = cluster.tool("--sweep", "--yes")
    assert (run.status, run.lines[-1]) == (Exit.DONE, "Removed 3 leftover throttles.")
    assert cluster.tool("--sweep").lines == ["No leftover throttles found."]
