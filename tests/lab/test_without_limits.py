"""R435-8: without limits a controller writes and sends what it did before it knew of any.

`golden/without_limits.txt` was recorded with a controller that had no code for limits, by
`conversations()`; it is not to be made again.
"""

import json
from pathlib import Path

import pytest
from lab.conversations import Before, conversation, conversations

from klamm.controller.core.ops import ANY_VERSION, Create, Op, SetData
from klamm.controller.core.pace import UNLIMITED
from klamm.controller.znodes import paths
from klamm.tools.lab.apache.scenarios import SCENARIOS, Scenario
from klamm.tools.lab.apache.stage import Stage

RECORDED = Path(__file__).parents[1] / "golden" / "without_limits.txt"
NAMES = [f"reassignment.max.concurrent.{what}.movements" for what in
         ("replica", "partition", "leader")]  # fmt: skip


def configure(stage: Stage, **config: str) -> None:
    data = json.dumps({"version": 1, "config": config}).encode()
    there = paths.CLUSTER_CONFIG in stage.world.tree.nodes
    op: Op = Create(paths.CLUSTER_CONFIG, data)
    if there:
        op = SetData(paths.CLUSTER_CONFIG, data, ANY_VERSION)
    stage.world.write("configures brokers", op)


def all_unlimited(stage: Stage) -> None:
    configure(stage, **dict.fromkeys(NAMES, str(UNLIMITED)))


def all_limited(stage: Stage) -> None:
    configure(stage, **dict.fromkeys(NAMES, "1"))


def nothing_said(stage: Stage) -> None:
    configure(stage)


@pytest.mark.req("R435-8", "R435-45", "R435-60")
def test_a_controller_says_and_writes_what_one_without_limits_does() -> None:
    assert conversations() == RECORDED.read_text()


@pytest.mark.req("R435-8")
@pytest.mark.parametrize(
    "before", [[all_unlimited], [all_limited, nothing_said]], ids=["said to be none", "lifted"]
)
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_it_does_not_matter_how_there_are_no_limits(scenario: Scenario, before: Before) -> None:
    text = "\n".join(conversation(scenario, before))
    assert f"# {scenario.name}\n{text}\n" in RECORDED.read_text()


def test_with_limits_it_would_be_another() -> None:
    (start,) = (scenario for scenario in SCENARIOS if scenario.name == "start")
    assert conversation(start, [all_limited]) != conversation(start)
