"""What clients name may be as long as a string can be, and there is an answer all the same.

A text that repeats such a name has no place in a response. Without an answer the connection ends,
with a traceback in the log, and what else the request has done is never told.
"""

import json
from dataclasses import replace

import pytest
from handlers.transacting import Znodes, on_the_wire
from handlers.worlds import cluster, context, partition, topic

from klamm.controller.core.events import CreateTopic
from klamm.controller.core.results import MOST_CHARACTERS, Fault, Refusal, shortened
from klamm.controller.handlers.api import Submit
from klamm.controller.handlers.table import HANDLERS
from klamm.controller.security.authorizer import AclAuthorizer
from klamm.controller.security.principals import ANONYMOUS
from klamm.protocol.generated.alter_configs_request import AlterableConfig as ReplacedConfig
from klamm.protocol.generated.alter_configs_request import AlterConfigsRequest
from klamm.protocol.generated.alter_configs_request import (
    AlterConfigsResource as ReplacedResource,
)
from klamm.protocol.generated.create_acls_request import AclCreation, CreateAclsRequest
from klamm.protocol.generated.create_topics_request import (
    CreatableTopic,
    CreatableTopicConfig,
    CreateTopicsRequest,
)
from klamm.protocol.generated.describe_configs_request import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
)
from klamm.protocol.generated.describe_configs_response import DescribeConfigsResponse
from klamm.protocol.generated.describe_user_scram_credentials_request import (
    DescribeUserScramCredentialsRequest,
    UserName,
)
from klamm.protocol.generated.incremental_alter_configs_request import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from klamm.protocol.message import Message

LONG = "9" * 32_767
TOPIC, BROKER = 2, 4
CONTEXT = replace(
    context(cluster(topic("t", {0: partition((1, 2))}))),
    authorizer=AclAuthorizer(frozenset({str(ANONYMOUS)})),
)


def configs(kind: int, name: str, key: str, value: str | None) -> IncrementalAlterConfigsRequest:
    config = AlterableConfig(key, 0, value)
    return IncrementalAlterConfigsRequest((AlterConfigsResource(kind, name, (config,)),))


def acl(name: str, principal: str) -> CreateAclsRequest:
    return CreateAclsRequest((AclCreation(TOPIC, name, 3, principal, "*", 3, 3),))


def described(kind: int) -> DescribeConfigsRequest:
    return DescribeConfigsRequest((DescribeConfigsResource(kind, LONG, None),))


@pytest.mark.parametrize(
    "request_",
    [
        pytest.param(configs(TOPIC, "t", "retention.ms", LONG), id="value of a topic"),
        pytest.param(configs(TOPIC, "t", LONG, "1"), id="key of a topic"),
        pytest.param(configs(TOPIC, "t", LONG, None), id="key without a value"),
        pytest.param(configs(TOPIC, LONG, "retention.ms", "1"), id="unknown topic"),
        pytest.param(configs(BROKER, LONG, "x", "1"), id="broker"),
        pytest.param(configs(BROKER, "900", "log.cleaner.threads", LONG), id="value of a broker"),
        pytest.param(
            AlterConfigsRequest((ReplacedResource(TOPIC, "t", (ReplacedConfig(LONG, "1"),)),)),
            id="key of a replacement",
        ),
        pytest.param(described(TOPIC), id="description of a topic"),
        pytest.param(described(BROKER), id="description of a broker"),
        pytest.param(described(77), id="description of nothing"),
        pytest.param(acl(f"/{LONG[1:]}", "User:a"), id="resource of a rule"),
        pytest.param(acl("t", LONG), id="principal of a rule"),
        pytest.param(
            CreateTopicsRequest(
                (CreatableTopic("new", 1, 1, (), (CreatableTopicConfig(LONG, None),)),)
            ),
            id="config of a new topic",
        ),
        pytest.param(
            DescribeUserScramCredentialsRequest((UserName(LONG),)), id="user without credentials"
        ),
        pytest.param(
            DescribeUserScramCredentialsRequest((UserName(LONG), UserName(LONG))), id="user twice"
        ),
    ],
)
def test_there_is_an_answer(request_: Message) -> None:
    handler = HANDLERS[request_.api_key]
    version = handler.versions[-1]
    znodes = Znodes({"/brokers/topics/t": b"{}"})
    answer = znodes.answer(handler.handle(CONTEXT, request_, version))
    assert "..." in repr(on_the_wire(answer, version))


def test_what_the_core_refuses_of_a_new_topic_is_answered() -> None:
    config = CreatableTopicConfig("retention.ms", LONG)
    wanted = CreateTopicsRequest((CreatableTopic("new", 1, 1, (), (config,)),))
    outcome = HANDLERS[19].handle(CONTEXT, wanted, 7)
    assert isinstance(outcome, Submit)
    [event] = outcome.events
    assert isinstance(event, CreateTopic)
    assert event.invalid_config
    answer = outcome.respond([Refusal(Fault.INVALID_CONFIG, event.invalid_config)])
    assert "..." in repr(on_the_wire(answer, 7))


@pytest.mark.parametrize(("keys", "code"), [(None, -1), (("retention.ms",), 0)])
def test_a_value_that_has_grown_too_long_costs_its_own_resource_alone(
    keys: tuple[str, ...] | None, code: int
) -> None:
    throttled = {"follower.replication.throttled.replicas": "0:1," * 10_000 + "0:1"}
    data = json.dumps({"version": 1, "config": throttled}).encode()
    asked = DescribeConfigsRequest(
        (DescribeConfigsResource(TOPIC, "t", keys), DescribeConfigsResource(BROKER, "900", None)),
        include_synonyms=True,
    )
    outcome = HANDLERS[32].handle(CONTEXT, asked, 4)
    answer = on_the_wire(Znodes({"/config/topics/t": data}).answer(outcome), 4)
    assert isinstance(answer, DescribeConfigsResponse)
    assert [result.error_code for result in answer.results] == [code, 0]


def test_a_text_that_is_not_too_long_stays_as_it_is() -> None:
    text = "x" * MOST_CHARACTERS
    assert Refusal(Fault.INVALID_REQUEST, text).message == text == shortened(text)
    assert Refusal(Fault.INVALID_REQUEST, f"{text}y").message == f"{text}..."
