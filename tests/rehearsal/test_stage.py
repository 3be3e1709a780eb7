"""From snapshot and plan to the stage, and every reason why not."""

from __future__ import annotations

from typing import Any

import pytest

from klamm.tools.admin import TopicPartition
from klamm.tools.planner.snapshot import Broker, Partition, Snapshot
from klamm.tools.rehearsal import stage as stages
from klamm.tools.rehearsal.spec import Reserved
from klamm.tools.rehearsal.stage import StageError, plan_hash, staged

FOO, BAR = TopicPartition("foo", 0), TopicPartition("bar", 0)


def snapshot(**of_foo: object) -> Snapshot:
    """Brokers 1 to 4, of which 4 is dead; foo moves, bar is busy, and on 1 and 2."""
    foo: dict[str, Any] = {"leader": 1, "isr": (1, 2), "size_bytes": 5, **of_foo}
    return Snapshot(
        "x",
        0,
        (Broker(1), Broker(2), Broker(3), Broker(4, alive=False)),
        (
            Partition("foo", 0, (1, 2), **foo),
            Partition("bar", 0, (1, 2, 4), leader=1, isr=(1, 2), bytes_in_per_s=10.0),
        ),
    )


def test_what_the_plan_leaves_alone_is_load() -> None:
    stage, notes = staged(snapshot(), {FOO: (1, 3)})
    assert stage.brokers == (1, 2, 3)
    assert [each.name for each in stage.partitions] == ["foo-0"]
    # bar's leader serves the one living follower.
    assert stage.reserved == (Reserved(1, 0.0, 10.0, 1), Reserved(2, 10.0, 0.0, 0))
    assert notes == ()


@pytest.mark.parametrize(
    ("plan", "of_foo", "reason"),
    [
        ({}, {}, "the plan is empty"),
        ({FOO: (1, 9)}, {}, "foo-0: the snapshot has no broker 9"),
        ({FOO: (1, 4)}, {}, "foo-0: broker 4 was not alive"),
        ({FOO: (1, 1)}, {}, "foo-0: the plan names broker 1 twice"),
        ({FOO: ()}, {}, "foo-0: the plan has no replicas for it"),
        ({TopicPartition("foo", 3): (1,)}, {}, "foo-3: the snapshot has no such partition"),
        ({FOO: (1, 2)}, {}, "the plan moves nothing"),
        ({FOO: (1, 3)}, {"adding": (2,)}, "foo-0 was moving when the snapshot was taken"),
    ],
)
def test_why_not(
    plan: dict[TopicPartition, tuple[int, ...]], of_foo: dict[str, Any], reason: str
) -> None:
    with pytest.raises(StageError) as caught:
        staged(snapshot(**of_foo), plan)
    assert reason in str(caught.value)


def test_all_reasons_are_told_up_to_a_few() -> None:
    plan = {TopicPartition("foo", number): (1,) for number in range(1, 9)}
    with pytest.raises(StageError, match="and 3 more") as caught:
        staged(snapshot(), plan)
    assert len(caught.value.reasons) == 8


def test_a_plan_that_is_too_large_is_refused_with_a_way_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(stages, "MOST_PARTITIONS", 1)
    with pytest.raises(StageError, match="rehearse it in parts"):
        staged(snapshot(), {FOO: (1, 3), BAR: (1, 2)})


def test_what_should_be_known() -> None:
    stage, notes = staged(snapshot(isr=(1,), size_bytes=0), {FOO: (3,), BAR: (1, 2, 4)})
    assert [each.name for each in stage.partitions] == ["foo-0"]
    text = "\n".join(notes)
    assert "1 partitions of the plan have their replicas already" in text
    assert "the replication factor changes of 1 partitions, such as foo-0: 2 to 1" in text
    assert "the snapshot says no sizes" in text
    assert "1 partitions of the plan had replicas out of sync" in text


def test_a_hash_is_that_of_the_plan_whatever_its_order() -> None:
    assert plan_hash({FOO: (1,), BAR: (2,)}) == plan_hash({BAR: (2,), FOO: (1,)})
    assert plan_hash({FOO: (1, 2)}) != plan_hash({FOO: (2, 1)})
