"""DescribeConfigs and IncrementalAlterConfigs: every answer, over znodes in memory."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from handlers.transacting import Znodes, on_the_wire
from handlers.worlds import NODE, cluster, context, partition, topic

from klamm.controller.configs.topic_keys import TOPIC_KEYS
from klamm.controller.core.ops import ANY_VERSION, Check
from klamm.controller.core.results import Fault, Refusal
from klamm.controller.handlers import k32_describe_configs as k32
from klamm.controller.handlers import k44_incremental_alter_configs as k44
from klamm.controller.handlers.api import Context, Transact
from klamm.controller.handlers.k32_describe_configs import TOPICS_AT_ONCE
from klamm.controller.handlers.table import advertised
from klamm.controller.znodes.errors import ZnodeError
from klamm.protocol.generated.describe_configs_request import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
)
from klamm.protocol.generated.describe_configs_response import (
    DescribeConfigsResourceResult,
    DescribeConfigsResponse,
    DescribeConfigsResult,
)
from klamm.protocol.generated.incremental_alter_configs_request import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from klamm.protocol.generated.incremental_alter_configs_response import (
    AlterConfigsResourceResponse,
    IncrementalAlterConfigsResponse,
)

TOPIC, BROKER, LOGGER, METRICS, GROUP = 2, 4, 8, 16, 32
SET, DELETE, APPEND, SUBTRACT = range(4)
STATE = cluster(topic("t", {0: partition((1, 2))}), topic("u", {0: partition((1, 2))}))
TOPIC_PATH = "/config/topics/t"
OWN_PATH = f"/config/brokers/{NODE}"
DEFAULT_PATH = "/config/brokers/<default>"
THROTTLED = "leader.replication.throttled.replicas"
RATE = "leader.replication.throttled.rate"


def stored(configs: Mapping[str, str], **extra: object) -> bytes:
    return json.dumps({**extra, "version": 1, "config": dict(configs)}).encode()


def world(**configs: Mapping[str, str]) -> Znodes:
    """Znodes with topic t, u, and configs of `topic`, `own` and `default`."""
    places = {"topic": TOPIC_PATH, "own": OWN_PATH, "default": DEFAULT_PATH}
    data: dict[str, bytes | None] = {places[name]: stored(each) for name, each in configs.items()}
    return Znodes({"/brokers/topics/t": b"{}", "/brokers/topics/u": b"{}", **data})


def configs(znodes: Znodes, path: str) -> Any:  # noqa: ANN401 - JSON
    data = znodes.data[path]
    assert data is not None
    return json.loads(data)["config"]


def node(**properties: str) -> Context:
    names = {name.replace("_", "."): value for name, value in properties.items()}
    return replace(context(STATE), properties=names)


def describe(
    znodes: Znodes,
    kind: int = TOPIC,
    name: str = "t",
    keys: tuple[str, ...] | None = None,
    *,
    at: Context | None = None,
    synonyms: bool = False,
    documentation: bool = False,
    version: int = 4,
) -> DescribeConfigsResult:
    request = DescribeConfigsRequest(
        (DescribeConfigsResource(kind, name, keys),), synonyms, documentation
    )
    response = znodes.answer(k32.handle(at or node(), request, version))
    response = on_the_wire(response, version)
    assert isinstance(response, DescribeConfigsResponse)
    (result,) = response.results
    assert (result.resource_type, result.resource_name) == (kind, name)
    return result


def by_name(result: DescribeConfigsResult) -> dict[str, DescribeConfigsResourceResult]:
    assert result.error_code == 0
    found = {config.name: config for config in result.configs}
    assert len(found) == len(result.configs)
    return found


def one(result: DescribeConfigsResult) -> DescribeConfigsResourceResult:
    (found,) = result.configs
    return found


def seen(config: DescribeConfigsResourceResult) -> list[tuple[str, str | None, int]]:
    return [(each.name, each.value, each.source) for each in config.synonyms]


# --- DescribeConfigs -----------------------------------------------------------------------------


@pytest.mark.parametrize("keys", [None, ()])
def test_a_topic_shows_every_config_set_or_not(keys: tuple[str, ...] | None) -> None:
    znodes = world(topic={THROTTLED: "0:1,1:2", "retention.ms": " 7 "})
    found = by_name(describe(znodes, keys=keys))
    assert found.keys() == TOPIC_KEYS.keys()
    assert (found[THROTTLED].value, found[THROTTLED].config_source) == ("0:1,1:2", 1)
    follower = found["follower.replication.throttled.replicas"]
    assert (follower.value, follower.config_source) == ("", 5)
    assert (found["retention.ms"].value, found["retention.ms"].config_source) == ("7", 1)
    assert (found["segment.bytes"].value, found["segment.bytes"].config_source) == ("1073741824", 5)
    assert not any(config.read_only or config.is_sensitive for config in found.values())
    assert {config.config_type for config in found.values()} == {1, 2, 3, 5, 6, 7}


def test_keys_choose_what_is_shown_and_unknown_ones_are_left_out() -> None:
    found = by_name(describe(world(), keys=("retention.ms", "nosuch", "retention.ms")))
    assert list(found) == ["retention.ms"]


def test_a_topic_inherits_from_the_node_and_from_all_brokers() -> None:
    znodes = world(own={"log.segment.bytes": "100"}, default={"log.segment.bytes": "200"})
    at = node(log_segment_bytes="300")
    found = one(describe(znodes, keys=("segment.bytes",), at=at, synonyms=True))
    name = "log.segment.bytes"
    assert (found.value, found.config_source) == ("100", 2)
    expected = [(name, "100", 2), (name, "200", 3), (name, "300", 4), (name, "1073741824", 5)]
    assert seen(found) == expected
    znodes = world(topic={"segment.bytes": "50"}, default={name: "200"})
    found = one(describe(znodes, keys=("segment.bytes",), synonyms=True))
    assert (found.value, found.config_source) == ("50", 1)
    assert seen(found) == [("segment.bytes", "50", 1), (name, "200", 3), (name, "1073741824", 5)]


@pytest.mark.parametrize(
    ("properties", "value", "source"),
    [
        ({}, "604800000", 5),
        ({"log.retention.hours": "24"}, "86400000", 5),
        ({"log.retention.hours": "-1"}, "-1", 5),
        ({"log.retention.hours": "9" * 5_000}, "9" * 5_000, 5),
        ({"log.retention.hours": "24", "log.retention.minutes": "2"}, "120000", 5),
        ({"log.retention.hours": "24", "log.retention.ms": "9"}, "9", 4),
    ],
)
def test_a_time_is_inherited_in_any_unit(
    properties: dict[str, str], value: str, source: int
) -> None:
    at = replace(context(STATE), properties=properties)
    found = one(describe(world(), keys=("retention.ms",), at=at, synonyms=True))
    assert (found.value, found.config_source) == (value, source)
    # Kafka leaves out what stands before the config's own name.
    assert [each.name for each in found.synonyms[:1]] in ([], ["log.retention.ms"])


def test_synonyms_and_sentences_are_shown_when_asked_for_and_the_version_has_them() -> None:
    znodes = world(topic={"retention.ms": "7"})
    for version in k32.VERSIONS:
        for asked in (False, True):
            found = one(
                describe(
                    znodes,
                    keys=("retention.ms",),
                    synonyms=asked and version >= 1,
                    documentation=asked and version >= 3,
                    version=version,
                )
            )
            assert bool(found.synonyms) == (asked and version >= 1)
            if version >= 3:
                assert (found.documentation is not None) == asked
                assert found.config_type == 5


def test_version_0_tells_whether_a_value_is_the_default() -> None:
    found = by_name(describe(world(topic={"retention.ms": "7"}), version=0))
    assert not found["retention.ms"].is_default
    assert found["segment.ms"].is_default


def test_a_value_that_is_none_is_shown_as_it_is_stored() -> None:
    found = by_name(describe(world(topic={"retention.ms": "soon"})))
    assert found["retention.ms"].value == "soon"


@pytest.mark.parametrize(
    ("kind", "name", "code", "text"),
    [
        (TOPIC, "nosuch", 3, ""),
        (TOPIC, "a/b", 17, ("Topic name is invalid: 'a/b' contains one or more characters other"
         " than ASCII alphanumerics, '.', '_' and '-'")),
        (TOPIC, "", 17, "Topic name is invalid: the empty string is not allowed"),
        (BROKER, "2", 42, "Unexpected broker id, expected 900 or empty string, but received 2"),
        (BROKER, "x", 42, "Broker id must be an integer, but it is: x"),
        (LOGGER, "", 42, "Broker id must not be empty"),
        (LOGGER, "2", 42, "Unexpected broker id, expected 900 but received 2"),
        (METRICS, "", 42, "Client metrics subscription name must not be empty"),
        (METRICS, "m", 42, "Config type client-metrics is only supported on KRaft clusters"),
        (GROUP, "g", 42, "Unexpected resource type UNKNOWN for resource g"),
        (0, "x", 42, "Unexpected resource type UNKNOWN for resource x"),
        (3, "x", 42, "Unexpected resource type UNKNOWN for resource x"),
    ],
)  # fmt: skip
def test_what_cannot_be_described(kind: int, name: str, code: int, text: str) -> None:
    result = describe(world(), kind, name)
    assert (result.error_code, result.error_message, result.configs) == (code, text, ())


def test_one_resource_of_a_strange_type_refuses_the_whole_request() -> None:
    resources = (DescribeConfigsResource(TOPIC, "t"), DescribeConfigsResource(GROUP, "g"))
    response = world().answer(k32.handle(node(), DescribeConfigsRequest(resources), 4))
    assert isinstance(response, DescribeConfigsResponse)
    assert [result.error_code for result in response.results] == [42, 42]


def test_results_come_in_the_order_of_the_resources() -> None:
    kinds = [(TOPIC, "t"), (TOPIC, "no"), (BROKER, str(NODE)), (TOPIC, "u"), (LOGGER, str(NODE))]
    resources = tuple(DescribeConfigsResource(kind, name, None) for kind, name in kinds)
    response = world().answer(k32.handle(node(), DescribeConfigsRequest(resources), 4))
    assert isinstance(response, DescribeConfigsResponse)
    assert [(each.resource_type, each.resource_name) for each in response.results] == kinds
    assert [each.error_code for each in response.results] == [0, 3, 0, 0, 0]
    assert [bool(each.configs) for each in response.results] == [True, False, True, True, False]


def test_a_node_shows_what_it_was_started_with_and_what_was_set() -> None:
    znodes = world(own={RATE: "10"}, default={RATE: "20", "num.io.threads": "4"})
    at = node(node_id="900", num_partitions="3", log_dirs="/d", my_secret="s", klamm_profile="p")
    found = by_name(describe(znodes, BROKER, str(NODE), at=at, synonyms=True))
    rate = found[RATE]
    assert (rate.value, rate.config_source, rate.config_type) == ("10", 2, 5)
    assert seen(rate) == [(RATE, "10", 2), (RATE, "20", 3)]
    assert rate.read_only  # so does Kafka call it
    assert (found["num.io.threads"].value, found["num.io.threads"].config_source) == ("4", 3)
    assert not found["num.io.threads"].read_only
    partitions = found["num.partitions"]
    assert (partitions.value, partitions.config_source, partitions.read_only) == ("3", 4, True)
    assert (found["log.dirs"].value, found["log.dirs"].config_type) == ("/d", 2)
    assert (found["log.segment.bytes"].value, found["log.segment.bytes"].config_source) == (
        "1073741824",
        5,
    )
    unknown = found["my.secret"]
    assert (unknown.value, unknown.is_sensitive, unknown.config_type) == (None, True, 0)
    assert seen(unknown) == [("my.secret", None, 4)]
    assert found["klamm.profile"].value == "p"


def test_the_rates_of_throttles_are_shown_only_when_set() -> None:
    found = by_name(describe(world(), BROKER, str(NODE)))
    assert not [name for name in found if "throttled" in name]


def test_a_password_is_shown_to_nobody() -> None:
    name = "listener.name.internal.ssl.keystore.password"
    znodes = world(own={name: "secret"})
    found = by_name(describe(znodes, BROKER, str(NODE), synonyms=True))[name]
    assert (found.value, found.is_sensitive, found.config_type) == (None, True, 9)
    assert seen(found) == [(name, None, 2)]


def test_the_empty_broker_shows_what_is_set_for_all_and_nothing_else() -> None:
    znodes = world(own={RATE: "10"}, default={RATE: "20", "custom.key": "x"})
    found = by_name(describe(znodes, BROKER, "", at=node(num_partitions="3"), synonyms=True))
    assert found.keys() == {RATE, "custom.key"}
    assert (found[RATE].value, found[RATE].config_source) == ("20", 3)
    assert seen(found[RATE]) == [(RATE, "20", 3)]
    assert by_name(describe(world(), BROKER, "")) == {}


@pytest.mark.parametrize("path", [OWN_PATH, DEFAULT_PATH])
def test_a_znode_of_the_node_that_cannot_be_read_is_named(path: str) -> None:
    znodes = world()
    znodes.data[path] = b"{"
    with pytest.raises(ZnodeError, match=path):
        describe(znodes)


def test_a_topics_configs_that_cannot_be_read_are_named_and_the_others_shown() -> None:
    znodes = world()
    znodes.data[TOPIC_PATH] = b"{"
    resources = tuple(DescribeConfigsResource(TOPIC, name, None) for name in "tu")
    response = znodes.answer(k32.handle(node(), DescribeConfigsRequest(resources), 4))
    assert isinstance(response, DescribeConfigsResponse)
    broken, whole = response.results
    assert broken.error_code == -1
    assert TOPIC_PATH in (broken.error_message or "")
    assert (whole.error_code, len(whole.configs)) == (0, len(TOPIC_KEYS))


def test_many_topics_are_read_together_and_the_node_once_for_them() -> None:
    names = [f"t{number}" for number in range(TOPICS_AT_ONCE + 1)]
    state = cluster(*(topic(name, {0: partition((1, 2))}) for name in names))
    asked = [(TOPIC, name) for name in names] + [(BROKER, str(NODE)), (TOPIC, "t0"), (TOPIC, "no")]
    resources = tuple(
        DescribeConfigsResource(kind, name, ("retention.ms",)) for kind, name in asked
    )
    outcome = k32.handle(context(state), DescribeConfigsRequest(resources), 4)
    assert isinstance(outcome, Transact)
    assert [len(each.reads) for each in outcome.transactions] == [2 + TOPICS_AT_ONCE, 2 + 1, 2]
    retained = {f"/config/topics/{name}": stored({"retention.ms": name[1:]}) for name in names}
    response = Znodes({**retained}).answer(outcome)
    assert isinstance(response, DescribeConfigsResponse)
    assert [(each.resource_type, each.resource_name) for each in response.results] == asked
    *topics, of_node, again, absent = response.results
    values = [each.configs[0].value for each in (*topics, again)]
    assert values == [name[1:] for name in (*names, "t0")]
    assert (of_node.error_code, absent.error_code) == (0, 3)


def test_what_the_door_cannot_do_is_the_answer_for_all_topics_of_a_read() -> None:
    resources = tuple(DescribeConfigsResource(TOPIC, name, None) for name in "tu")
    outcome = k32.handle(node(), DescribeConfigsRequest(resources), 4)
    assert isinstance(outcome, Transact)
    response = outcome.respond([Refusal(Fault.UNKNOWN_SERVER_ERROR, "no session")])
    assert isinstance(response, DescribeConfigsResponse)
    assert [(each.error_code, each.error_message) for each in response.results] == [
        (-1, "no session")
    ] * 2


def test_what_the_door_cannot_do_is_answered_with_its_text() -> None:
    request = DescribeConfigsRequest((DescribeConfigsResource(TOPIC, "t", None),))
    outcome = k32.handle(node(), request, 4)
    assert isinstance(outcome, Transact)
    response = outcome.respond([Refusal(Fault.UNKNOWN_SERVER_ERROR, "/config/topics/t: no")])
    assert isinstance(response, DescribeConfigsResponse)
    (result,) = response.results
    assert (result.error_code, result.error_message) == (-1, "/config/topics/t: no")


# --- IncrementalAlterConfigs ---------------------------------------------------------------------

Changes = list[tuple[str, int, str | None]]
IN_VAIN = "Invalid config value for resource ConfigResource(type=TOPIC, name='t'):"


def alteration(
    changes: Changes, kind: int = TOPIC, name: str = "t", *, dry: bool = False
) -> IncrementalAlterConfigsRequest:
    entries = tuple(AlterableConfig(key, operation, value) for key, operation, value in changes)
    return IncrementalAlterConfigsRequest((AlterConfigsResource(kind, name, entries),), dry)


def alter(
    znodes: Znodes, changes: Changes, kind: int = TOPIC, name: str = "t", *, dry: bool = False
) -> AlterConfigsResourceResponse:
    response = znodes.answer(k44.handle(node(), alteration(changes, kind, name, dry=dry), 1))
    response = on_the_wire(response, 1)
    assert isinstance(response, IncrementalAlterConfigsResponse)
    (result,) = response.responses
    assert (result.resource_type, result.resource_name) == (kind, name)
    return result


@pytest.mark.parametrize(
    ("before", "changes", "after"),
    [
        ({}, [("retention.ms", SET, "5")], {"retention.ms": "5"}),
        ({"retention.ms": "5"}, [("retention.ms", SET, "6")], {"retention.ms": "6"}),
        ({"retention.ms": "5"}, [("retention.ms", DELETE, None)], {}),
        ({"retention.ms": "5"}, [("retention.ms", DELETE, "x")], {}),
        ({}, [("retention.ms", DELETE, None)], {}),
        ({}, [("cleanup.policy", APPEND, "compact")], {"cleanup.policy": "delete,compact"}),
        ({}, [("cleanup.policy", APPEND, "delete")], {"cleanup.policy": "delete"}),
        ({}, [("cleanup.policy", SUBTRACT, "delete")], {"cleanup.policy": ""}),
        ({}, [(THROTTLED, APPEND, "0:1,0:2")], {THROTTLED: "0:1,0:2"}),
        ({THROTTLED: "0:1"}, [(THROTTLED, APPEND, "0:1,1:1")], {THROTTLED: "0:1,1:1"}),
        ({THROTTLED: "0:1,1:1"}, [(THROTTLED, SUBTRACT, "0:1,9:9")], {THROTTLED: "1:1"}),
        ({THROTTLED: "*"}, [(THROTTLED, SUBTRACT, "*")], {THROTTLED: ""}),
        ({"nosuch": "1"}, [("nosuch", DELETE, None)], {}),
        (
            {"retention.ms": "5"},
            [("segment.ms", SET, "9"), ("retention.ms", DELETE, None)],
            {"segment.ms": "9"},
        ),
        ({}, [], {}),
    ],
)
def test_changes_are_folded_into_what_is_stored(
    before: dict[str, str], changes: Changes, after: dict[str, str]
) -> None:
    for znodes in (world(topic=before), *((world(),) if not before else ())):
        assert alter(znodes, changes).error_code == 0
        assert configs(znodes, TOPIC_PATH) == after
        assert znodes.notices() == [b'{"version":2,"entity_path":"topics/t"}']


def test_a_topic_must_still_exist_when_its_configs_are_written() -> None:
    znodes = world()
    alter(znodes, [("retention.ms", SET, "5")])
    assert znodes.ops[0] == Check("/brokers/topics/t", ANY_VERSION)


def test_unknown_keys_of_the_znode_are_kept() -> None:
    znodes = world()
    znodes.data[TOPIC_PATH] = stored({"retention.ms": "5"}, note=[1])
    alter(znodes, [("segment.ms", SET, "9")])
    data = znodes.data[TOPIC_PATH]
    assert data is not None
    expected = {"retention.ms": "5", "segment.ms": "9"}
    assert json.loads(data) == {"note": [1], "version": 1, "config": expected}


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        (
            [("retention.ms", SET, "x")],
            (
                f"{IN_VAIN} Invalid value x for configuration retention.ms: Not a number of type"
                " LONG"
            ),
        ),
        (
            [(THROTTLED, SET, "none")],
            (
                f"{IN_VAIN} Invalid value [none] for configuration {THROTTLED}: {THROTTLED} must be"
                " the literal '*' or a list of replicas in the following format:"
                " [partitionId]:[brokerId],[partitionId]:[brokerId],..."
            ),
        ),
        ([("nosuch", SET, "1")], "Unknown topic config name: nosuch"),
        ([("nosuch", APPEND, "1")], "Unknown config name: nosuch"),
        (
            [("retention.ms", APPEND, "1")],
            "Config value append is not allowed for config key: retention.ms",
        ),
        (
            [("retention.ms", SUBTRACT, "1")],
            "Config value subtract is not allowed for config key: retention.ms",
        ),
        (
            [("min.compaction.lag.ms", SET, "6"), ("max.compaction.lag.ms", SET, "5")],
            "conflict topic config setting min.compaction.lag.ms (6) > max.compaction.lag.ms (5)",
        ),
        (
            [("remote.storage.enable", SET, "true")],
            (
                f"{IN_VAIN} Tiered Storage functionality is disabled in the broker. Topic cannot be"
                " configured with remote log storage."
            ),
        ),
        (
            [("remote.log.copy.disable", SET, "true")],
            (
                "It is invalid to set `remote.log.delete.on.disable` or `remote.log.copy.disable`"
                " under Zookeeper's mode."
            ),
        ),
    ],
)
def test_what_a_topic_cannot_have_is_invalid_config(changes: Changes, text: str) -> None:
    znodes = world()
    result = alter(znodes, changes)
    assert (result.error_code, result.error_message) == (40, text)
    assert znodes.ops == []


def test_what_the_broker_gives_counts_in_what_configs_mean_together() -> None:
    znodes = world(own={"log.cleaner.max.compaction.lag.ms": "5"})
    result = alter(znodes, [("min.compaction.lag.ms", SET, "6")])
    assert result.error_code == 40
    assert "(6) > max.compaction.lag.ms (5)" in (result.error_message or "")


@pytest.mark.parametrize(
    ("kind", "name", "changes", "code", "text"),
    [
        (TOPIC, "", [], 42, "Default topic resources are not allowed."),
        (TOPIC, "nosuch", [], 3, "The topic 'nosuch' does not exist."),
        (BROKER, "2", [], 42, "Unexpected broker id, expected 900, but received 2"),
        (BROKER, "x", [], 42, "Node id must be an integer, but it is: x"),
        (TOPIC, "t", [("a", SET, "1"), ("a", DELETE, None)], 42,
         "Error due to duplicate config keys"),
        (TOPIC, "t", [("a", SET, None), ("b", APPEND, None), ("c", DELETE, None)], 42,
         "Null value not supported for : a, b"),
        (TOPIC, "t", [("a", 9, "1")], 42, "Unknown operations type 9"),
        (LOGGER, str(NODE), [("a", SET, "INFO")], 40, "Logger a does not exist!"),
        (LOGGER, "2", [], 42, "Unexpected broker id, expected 900, but received 2"),
        (LOGGER, "", [], 42, "Node id must be an integer, but it is: "),
        (METRICS, "m", [], 42,
         ("AlterConfigs is only supported for topics and brokers, but resource type is"
         " CLIENT_METRICS")),
        (GROUP, "g", [], 42, "Unknown resource type 32"),
        (5, "x", [], 42, "Unknown resource type 5"),
        (BROKER, str(NODE), [(RATE, SET, "-1")], 42,
         f"Invalid value -1 for configuration {RATE}: Value must be at least 0"),
        (BROKER, "", [("log.retention.ms", SET, "x")], 42,
         "Invalid value x for configuration log.retention.ms: Not a number of type LONG"),
        (BROKER, "", [("num.partitions", SET, "3"), ("log.dirs", SET, "/d")], 42,
         "Cannot update these configs dynamically: Set(log.dirs, num.partitions)"),
        (BROKER, str(NODE), [("ssl.keystore.type", SET, "JKS")], 42,
         ("These security configs can be dynamically updated only per-listener using the listener"
         " prefix: HashSet(ssl.keystore.type)")),
        (BROKER, "", [("listener.name.x.ssl.keystore.type", SET, "JKS")], 42,
         ("Cannot update these configs at default cluster level, broker id must be specified:"
         " Set(listener.name.x.ssl.keystore.type)")),
        (BROKER, str(NODE), [("listener.name.x.ssl.keystore.password", SET, "s")], 40,
         ("Invalid config value for resource ConfigResource(type=BROKER, name='900'):"
         " Password encoder secret not configured")),
        (BROKER, str(NODE), [(RATE, APPEND, "1")], 40,
         f"Config value append is not allowed for config key: {RATE}"),
        (BROKER, str(NODE), [("nosuch", APPEND, "1")], 40, "Unknown config name: nosuch"),
    ],
)  # fmt: skip
def test_what_is_refused(kind: int, name: str, changes: Changes, code: int, text: str) -> None:
    znodes = world()
    result = alter(znodes, changes, kind, name)
    assert (result.error_code, result.error_message) == (code, text)
    assert znodes.ops == []


@pytest.mark.parametrize(("name", "path"), [(str(NODE), OWN_PATH), ("", DEFAULT_PATH)])
def test_a_nodes_own_configs_and_those_of_all_brokers(name: str, path: str) -> None:
    rates = (
        "leader.replication.throttled.rate",
        "follower.replication.throttled.rate",
        "replica.alter.log.dirs.io.max.bytes.per.second",
    )
    znodes = world()
    assert alter(znodes, [(rate, SET, "1000") for rate in rates], BROKER, name).error_code == 0
    assert configs(znodes, path) == dict.fromkeys(rates, "1000")
    entity = path.removeprefix("/config/")
    assert znodes.notices() == [
        json.dumps({"version": 2, "entity_path": entity}).replace(" ", "").encode()
    ]
    assert alter(znodes, [(rate, DELETE, None) for rate in rates], BROKER, name).error_code == 0
    assert configs(znodes, path) == {}


def test_no_loggers_are_altered_without_complaint() -> None:
    assert alter(world(), [], LOGGER, str(NODE)).error_code == 0


def test_a_password_that_is_there_can_be_deleted() -> None:
    name = "listener.name.x.ssl.keystore.password"
    znodes = world(own={name: "encrypted", RATE: "5"})
    assert alter(znodes, [(RATE, SET, "6")], BROKER, str(NODE)).error_code == 0
    assert configs(znodes, OWN_PATH) == {name: "encrypted", RATE: "6"}
    assert alter(znodes, [(name, DELETE, None)], BROKER, str(NODE)).error_code == 0
    assert configs(znodes, OWN_PATH) == {RATE: "6"}


def test_a_brokers_unknown_keys_are_stored_as_they_are() -> None:
    znodes = world()
    assert alter(znodes, [("my.plugin.key", SET, "1")], BROKER, "").error_code == 0
    assert configs(znodes, DEFAULT_PATH) == {"my.plugin.key": "1"}


@pytest.mark.parametrize(("kind", "name"), [(TOPIC, "t"), (BROKER, str(NODE))])
def test_validate_only_writes_nothing_and_refuses_alike(kind: int, name: str) -> None:
    znodes = world()
    good, bad = ("min.insync.replicas", SET, "2"), ("min.insync.replicas", SET, "0")
    assert alter(znodes, [good], kind, name, dry=True).error_code == 0
    assert alter(znodes, [bad], kind, name, dry=True).error_code in (40, 42)
    assert znodes.ops == []


def test_a_resource_named_twice_is_refused_and_the_others_are_not() -> None:
    entry = (AlterableConfig("retention.ms", SET, "5"),)
    resources = tuple(AlterConfigsResource(TOPIC, name, entry) for name in ("t", "u", "t"))
    znodes = world()
    response = znodes.answer(k44.handle(node(), IncrementalAlterConfigsRequest(resources), 1))
    assert isinstance(response, IncrementalAlterConfigsResponse)
    assert [(each.resource_name, each.error_code) for each in response.responses] == [
        ("t", 42),
        ("u", 0),
        ("t", 42),
    ]
    assert response.responses[0].error_message == "Each resource must appear at most once."
    assert TOPIC_PATH not in znodes.data


def test_a_topic_that_zookeeper_has_no_more_is_unknown() -> None:
    znodes = world()
    del znodes.data["/brokers/topics/t"]
    result = alter(znodes, [("retention.ms", SET, "5")])
    assert (result.error_code, result.error_message) == (3, "Topic 't' does not exist.")


@pytest.mark.parametrize("path", [TOPIC_PATH, OWN_PATH])
def test_a_znode_that_cannot_be_read_is_never_overwritten(path: str) -> None:
    znodes = world()
    znodes.data[path] = b'{"version":1,"config":{"a":1}}'
    with pytest.raises(ZnodeError, match=path):
        alter(znodes, [("retention.ms", SET, "5")])
    assert znodes.ops == []


def test_what_was_altered_is_described_at_once() -> None:
    znodes = world()
    alter(znodes, [(THROTTLED, SET, "*")])
    alter(znodes, [(RATE, SET, "5")], BROKER, str(NODE))
    assert by_name(describe(znodes))[THROTTLED].value == "*"
    assert by_name(describe(znodes, BROKER, str(NODE)))[RATE].value == "5"


def test_the_ranges_are_kafkas() -> None:
    table = advertised()
    assert (table[32], table[44], table[67]) == (range(5), range(2), range(1))


def test_any_node_serves_them_whether_controller_or_not() -> None:
    elsewhere = context(STATE, active=False)
    request = alteration([("retention.ms", SET, "5")])
    assert isinstance(k44.handle(elsewhere, request, 1), Transact)
