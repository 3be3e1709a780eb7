"""AlterConfigs: what a request names is all that is set; and what it refuses otherwise than 44."""

import pytest
from handlers.test_configs import (
    BROKER,
    DEFAULT_PATH,
    LOGGER,
    OWN_PATH,
    RATE,
    TOPIC,
    TOPIC_PATH,
    configs,
    node,
    world,
)
from handlers.transacting import Znodes, on_the_wire
from handlers.worlds import NODE

from klamm.controller.handlers import k33_alter_configs as k33
from klamm.controller.handlers.table import advertised
from klamm.protocol.generated.alter_configs_request import (
    AlterableConfig,
    AlterConfigsRequest,
    AlterConfigsResource,
)
from klamm.protocol.generated.alter_configs_response import (
    AlterConfigsResourceResponse,
    AlterConfigsResponse,
)


def replace(
    znodes: Znodes, kind: int, name: str, configs: dict[str, str | None], *, dry: bool = False
) -> AlterConfigsResourceResponse:
    entries = tuple(AlterableConfig(key, value) for key, value in configs.items())
    request = AlterConfigsRequest((AlterConfigsResource(kind, name, entries),), dry)
    response = on_the_wire(znodes.answer(k33.handle(node(), request, 2)), 2)
    assert isinstance(response, AlterConfigsResponse)
    (result,) = response.responses
    assert (result.resource_type, result.resource_name) == (kind, name)
    return result


@pytest.mark.parametrize(
    ("kind", "name", "path"),
    [(TOPIC, "t", TOPIC_PATH), (BROKER, str(NODE), OWN_PATH), (BROKER, "", DEFAULT_PATH)],
)
def test_what_is_not_named_is_set_no_more(kind: int, name: str, path: str) -> None:
    before = {"min.insync.replicas": "2", "unclean.leader.election.enable": "true"}
    znodes = world(topic=before, own=before, default=before)
    dry = replace(znodes, kind, name, {"min.insync.replicas": "1"}, dry=True)
    assert dry.error_code == 0
    assert configs(znodes, path) == before
    assert replace(znodes, kind, name, {"min.insync.replicas": "1"}).error_code == 0
    assert configs(znodes, path) == {"min.insync.replicas": "1"}
    assert len(znodes.notices()) == 1
    assert replace(znodes, kind, name, {}).error_code == 0
    assert configs(znodes, path) == {}


@pytest.mark.parametrize(
    ("kind", "name", "changes", "code", "text"),
    [
        (TOPIC, "t", {"a": None}, 42, "Null value not supported for : a"),
        (TOPIC, "t", {"a": "1"}, 40, "Unknown topic config name: a"),
        (TOPIC, "no", {}, 3, "The topic 'no' does not exist."),
        (LOGGER, str(NODE), {"a": "INFO"}, 42, "Unknown resource type 8"),
        (BROKER, "2", {}, 42, "Unexpected broker id, expected 900, but received 2"),
        (
            BROKER,
            str(NODE),
            {RATE: "-1"},
            42,
            f"Invalid value -1 for configuration {RATE}: Value must be at least 0",
        ),
    ],
)
def test_what_is_refused(
    kind: int, name: str, changes: dict[str, str | None], code: int, text: str
) -> None:
    znodes = world()
    result = replace(znodes, kind, name, changes)
    assert (result.error_code, result.error_message) == (code, text)
    assert znodes.ops == []


def test_one_request_replaces_many_and_each_has_its_answer() -> None:
    entry = (AlterableConfig("retention.ms", "5"),)
    names = ("t", "no", "u")
    resources = tuple(AlterConfigsResource(TOPIC, name, entry) for name in names)
    response = world().answer(k33.handle(node(), AlterConfigsRequest(resources), 0))
    assert isinstance(response, AlterConfigsResponse)
    answers = [(each.resource_name, each.error_code) for each in response.responses]
    assert answers == [("t", 0), ("no", 3), ("u", 0)]


def test_the_range_is_kafkas() -> None:
    assert advertised()[33] == range(3)
