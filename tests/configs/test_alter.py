"""Changes folded into what is stored, against the plainest model of it."""

import json

from hypothesis import given
from hypothesis import strategies as st

from klamm.controller.configs.alter import AlterTopic, Change, Operation, alter
from klamm.controller.configs.describe import DescribeTopics
from klamm.controller.configs.topic_keys import TOPIC_KEYS
from klamm.controller.configs.validation import check_topic
from klamm.controller.core.ops import Check, Create, SetData
from klamm.controller.core.results import Done, Refusal
from klamm.controller.store.port import Missing, Znode
from klamm.controller.store.transaction import Found

PATH = "/config/topics/t"
TOPIC: Found = Znode("/brokers/topics/t", b"{}", 3, 1, 1)
NONE: tuple[Found, ...] = (Missing("/config/brokers/1"), Missing("/config/brokers/<default>"))
VALUES = {
    "retention.ms": st.integers(-1, 2**63 - 1).map(str),
    "segment.bytes": st.integers(14, 2**31 - 1).map(str),
    "preallocate": st.sampled_from(("true", "false", " TRUE ")),
    "cleanup.policy": st.sampled_from(("delete", "compact", "compact,delete", "")),
    "leader.replication.throttled.replicas": st.sampled_from(("*", "", "0:1", "0:1,12:3")),
    "min.cleanable.dirty.ratio": st.floats(0, 1).map(str),
}
SETS = st.one_of(
    *(
        st.builds(Change, st.just(name), st.just(Operation.SET), values)
        for name, values in VALUES.items()
    )
)
DELETES = st.builds(Change, st.sampled_from(sorted(TOPIC_KEYS)), st.just(Operation.DELETE))


def read(data: bytes | None, version: int) -> Found:
    return Missing(PATH) if data is None else Znode(PATH, data, version, 1, 1)


ITEMS = st.lists(st.sampled_from(["0:1", "1:1", "1:2", "2:1", ""]), max_size=8).map(",".join)


@given(ITEMS, ITEMS, st.sampled_from([Operation.APPEND, Operation.SUBTRACT]))
def test_lists_grow_and_shrink_item_by_item(before: str, value: str, operation: Operation) -> None:
    name = "leader.replication.throttled.replicas"
    expected = before.split(",") if before else []
    appended = [item for item in value.split(",") if item not in expected]
    if operation is Operation.APPEND:
        expected += appended
    else:
        for item in value.split(","):
            if item in expected:
                expected.remove(item)
    after = alter({name: before}, [Change(name, operation, value)], dict(TOPIC_KEYS))
    assert after == {name: ",".join(expected)}


CHANGES = st.lists(st.one_of(SETS, DELETES), unique_by=lambda change: change.name, max_size=6)


@given(st.lists(CHANGES, max_size=5))
def test_any_changes_leave_what_a_dictionary_would_hold(rounds: list[list[Change]]) -> None:
    data: bytes | None = None
    model: dict[str, str] = {}
    for version, changes in enumerate(rounds):
        decision = AlterTopic("t", tuple(changes), 1).decide((TOPIC, read(data, version), *NONE))
        assert decision.result == Done()
        exists, write, notice = decision.ops
        assert isinstance(exists, Check)
        assert isinstance(write, Create if data is None else SetData)
        assert not isinstance(write, SetData) or write.version == version
        assert isinstance(notice, Create)
        assert notice.sequential
        data = write.data if isinstance(write, Create | SetData) else None
        for change in changes:
            model.pop(change.name, None)
            if change.value is not None:
                model[change.name] = change.value
        assert data is not None
        assert json.loads(data) == {"version": 1, "config": model}
        assert check_topic(model) is None
        (shown,) = DescribeTopics(("t",), 1).decide((*NONE, read(data, version))).result
        assert not isinstance(shown, Refusal)
        assert {entry.name for entry in shown if entry.source == 1} == model.keys()
        assert {entry.name for entry in shown} == TOPIC_KEYS.keys()


@given(
    st.lists(st.sampled_from(("0:1", "0:2", "1:1", "2:3")), unique=True),
    st.lists(st.sampled_from(("0:1", "0:2", "1:1", "2:3")), unique=True, min_size=1),
)
def test_append_and_subtract_are_a_sets_operations_that_keep_the_order(
    present: list[str], changed: list[str]
) -> None:
    name = "leader.replication.throttled.replicas"
    stored = json.dumps({"config": {name: ",".join(present)}}).encode()
    after = {
        Operation.APPEND: [*present, *(item for item in changed if item not in present)],
        Operation.SUBTRACT: [item for item in present if item not in changed],
    }
    for operation, expected in after.items():
        change = Change(name, operation, ",".join(changed))
        decision = AlterTopic("t", (change,), 1).decide((TOPIC, read(stored, 0), *NONE))
        write = decision.ops[1]
        assert isinstance(write, SetData)
        assert write.data is not None
        assert json.loads(write.data)["config"] == {name: ",".join(expected)}
