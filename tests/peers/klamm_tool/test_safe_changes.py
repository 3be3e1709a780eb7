"""What klamm's tool does for safety, on Kafka's own brokers: checks, the way back, throttles."""

from pathlib import Path

import pytest
from peers.java_tools.side_by_side import FILE
from peers.klamm_tool.stage import PATIENCE, Stage
from processes import wait_until
from reassign.tool import plan

from klamm.controller.configs.throttle_keys import FOLLOWER_RATE, LEADER_LIST, LEADER_RATE
from klamm.tools.admin import AlterConfigOp, ConfigResource, OpType, ResourceType

pytestmark = pytest.mark.slow


def test_a_plan_is_checked_and_taken_back(stage: Stage, name: str, tmp_path: Path) -> None:
    topic = stage.topic(name, [1, 2], records=50)
    file = plan(tmp_path, {(topic, 0): [3, 1]})
    checked = stage.tool.klamm("--check", FILE, file)
    assert checked.status == 0, checked
    assert checked.lines[0].startswith("1 partition: 1 replica to add, 1 to remove, ")
    assert checked.lines[-1] == "No problem found."
    assert stage.moving() == set()
    done = stage.tool.klamm("--execute", "--plan-check", "--wait", FILE, file)
    assert (done.status, stage.partitions(topic)[0].replicas) == (0, (3, 1)), done
    [back] = tmp_path.glob("*.rollback-*.json")
    done = stage.tool.klamm("--execute", "--wait", "--no-rollback-file", FILE, str(back))
    assert (done.status, stage.partitions(topic)[0].replicas) == (0, (1, 2)), done
    assert len([*tmp_path.iterdir()]) == 2


def test_throttles_of_others_stay(stage: Stage, name: str, tmp_path: Path) -> None:
    """With --own-throttles; what is left over, whoever has set it, is swept up."""
    topic = stage.topic(name, [1], records=50)
    set_rate(stage, 2, FOLLOWER_RATE, "77000000")
    file = plan(tmp_path, {(topic, 0): [2]})
    words = ("--execute", "--wait", "--own-throttles", "--throttle", "50000000")
    done = stage.tool.klamm(*words, FILE, file)
    assert done.status == 0, done
    verified = stage.tool.klamm("--verify", "--own-throttles", FILE, file)
    assert verified.status == 0, verified
    wait_until(lambda: rate(stage, 1, LEADER_RATE) is None, "the throttle to go", PATIENCE)
    wait_until(lambda: rate(stage, 2, FOLLOWER_RATE) == "77000000", "that of others", PATIENCE)
    of_topic = ConfigResource(ResourceType.TOPIC, topic)
    wait_until(lambda: not value(stage, of_topic, LEADER_LIST), "the list to go", PATIENCE)
    shown = stage.tool.klamm("--sweep")
    assert shown.status == 0, shown
    assert "77000000" in shown.out
    assert rate(stage, 2, FOLLOWER_RATE) == "77000000"
    swept = stage.tool.klamm("--sweep", "--yes")
    assert swept.status == 0, swept
    wait_until(lambda: rate(stage, 2, FOLLOWER_RATE) is None, "nothing to be left", PATIENCE)


def set_rate(stage: Stage, broker: int, key: str, rate_: str) -> None:
    resource = ConfigResource(ResourceType.BROKER, str(broker))
    ops = [AlterConfigOp(key, OpType.SET, rate_)]
    stage.admin.incremental_alter_configs({resource: ops}).result(PATIENCE)
    wait_until(lambda: rate(stage, broker, key) == rate_, f"{key} to be set", PATIENCE)


def rate(stage: Stage, broker: int, key: str) -> str | None:
    return value(stage, ConfigResource(ResourceType.BROKER, str(broker)), key)


def value(stage: Stage, resource: ConfigResource, key: str) -> str | None:
    [entries] = stage.admin.describe_configs([resource]).result(PATIENCE).values()
    return entries[key].value if key in entries else None
