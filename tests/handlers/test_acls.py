"""DescribeAcls, CreateAcls, DeleteAcls over a node and a ZooKeeper in memory."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pytest
from handlers.worlds import cluster, context
from node_world import ENDPOINT, World

from klamm.controller.core.ops import ANY_VERSION, Create, SetData
from klamm.controller.handlers import k29_describe_acls, k30_create_acls, k31_delete_acls
from klamm.controller.handlers.api import Answer, Context, Outcome, Transact
from klamm.controller.node import NodeConfig
from klamm.controller.security.acls import (
    Operation,
    PatternType,
    Permission,
    ResourceType,
)
from klamm.controller.security.authorizer import AclAuthorizer
from klamm.controller.security.principals import Client, user
from klamm.controller.znodes import ACL_PATHS
from klamm.protocol.codec import decode, encode
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.create_acls_request import AclCreation, CreateAclsRequest
from klamm.protocol.generated.create_acls_response import CreateAclsResponse
from klamm.protocol.generated.delete_acls_request import DeleteAclsFilter, DeleteAclsRequest
from klamm.protocol.generated.delete_acls_response import (
    DeleteAclsFilterResult,
    DeleteAclsResponse,
)
from klamm.protocol.generated.describe_acls_request import DescribeAclsRequest
from klamm.protocol.generated.describe_acls_response import DescribeAclsResponse
from klamm.protocol.message import Message

ADMIN = Client(user("admin"), "10.0.0.1", "PLAINTEXT")
NEWEST = 3
TOPIC, GROUP = ResourceType.TOPIC, ResourceType.GROUP
LITERAL, PREFIXED = PatternType.LITERAL, PatternType.PREFIXED
#: Every binding.
ANY = DescribeAclsRequest(1, None, 1, None, None, 1, 1)

Found = set[tuple[int, str, int, str, int, int]]


@dataclass
class Cluster:
    """A node that asks an authorizer, and what it answers its administrator."""

    world: World = field(
        default_factory=lambda: World(
            NodeConfig(900, (ENDPOINT,), authorizer=AclAuthorizer(frozenset({"User:admin"})))
        )
    )

    def __post_init__(self) -> None:
        self.world.write(*(Create(path, None) for path in ACL_PATHS))
        self.world.settle()

    @property
    def context(self) -> Context:
        asking = replace(context(cluster()), client=ADMIN)
        return replace(asking, authorizer=self.world.node.authorizer)

    def come_to(self, outcome: Outcome, version: int) -> Message:
        """What comes of an outcome, after its way over the wire."""
        if isinstance(outcome, Transact):
            request = self.world.transact(*outcome.transactions)
            self.world.settle()
            [results] = self.world.transacted[request]
            response = outcome.respond(results)
        else:
            assert isinstance(outcome, Answer)
            response = outcome.response
        assert not isinstance(response, Transact)
        return decode(type(response), encode(response, version), version)

    def create(self, *creations: AclCreation, version: int = NEWEST) -> list[tuple[int, str]]:
        outcome = k30_create_acls.handle(self.context, CreateAclsRequest(creations), version)
        response = self.come_to(outcome, version)
        assert isinstance(response, CreateAclsResponse)
        return [(each.error_code, each.error_message or "") for each in response.results]

    def delete(
        self, *filters: DeleteAclsFilter, version: int = NEWEST
    ) -> Sequence[DeleteAclsFilterResult]:
        outcome = k31_delete_acls.handle(self.context, DeleteAclsRequest(filters), version)
        response = self.come_to(outcome, version)
        assert isinstance(response, DeleteAclsResponse)
        return response.filter_results

    def describe(self, request: DescribeAclsRequest, version: int = NEWEST) -> DescribeAclsResponse:
        response = self.come_to(k29_describe_acls.handle(self.context, request, version), version)
        assert isinstance(response, DescribeAclsResponse)
        return response

    def found(self, meant: DescribeAclsRequest, version: int = NEWEST) -> Found:
        response = self.describe(meant, version)
        assert (response.error_code, response.error_message) == (0, None)
        return {
            (
                each.resource_type,
                each.resource_name,
                each.pattern_type,
                rule.principal,
                rule.operation,
                rule.permission_type,
            )
            for each in response.resources
            for rule in each.acls
        }


def creation(
    name: str,
    pattern_type: int = LITERAL,
    *,
    kind: int = TOPIC,
    principal: str = "User:alice",
    operation: int = Operation.READ,
    permission: int = Permission.ALLOW,
) -> AclCreation:
    return AclCreation(kind, name, pattern_type, principal, "*", operation, permission)


def meant(
    kind: int = 1, name: str | None = None, pattern_type: int = 1, principal: str | None = None
) -> DeleteAclsFilter:
    return DeleteAclsFilter(kind, name, pattern_type, principal, None, 1, 1)


def test_what_is_created_is_described_at_once_and_found_by_filters() -> None:
    acls = Cluster()
    answers = acls.create(
        creation("orders"),
        creation("or", PREFIXED),
        creation("*"),
        creation("orders", kind=GROUP, principal="User:bob"),
        creation("orders"),
    )
    assert answers == [(0, "")] * 5
    orders = (TOPIC, "orders", LITERAL, "User:alice", Operation.READ, Permission.ALLOW)
    prefix = (TOPIC, "or", PREFIXED, "User:alice", Operation.READ, Permission.ALLOW)
    every = (TOPIC, "*", LITERAL, "User:alice", Operation.READ, Permission.ALLOW)
    group = (GROUP, "orders", LITERAL, "User:bob", Operation.READ, Permission.ALLOW)
    assert acls.found(ANY) == {orders, prefix, every, group}
    assert acls.found(replace(ANY, principal_filter="User:bob")) == {group}
    of_orders = replace(ANY, resource_type_filter=TOPIC, resource_name_filter="orders")
    assert acls.found(of_orders) == {orders}
    assert acls.found(replace(of_orders, pattern_type_filter=2)) == {orders, prefix, every}
    assert acls.found(replace(ANY, pattern_type_filter=PREFIXED)) == {prefix}
    assert acls.found(replace(ANY, operation=Operation.WRITE)) == set()
    assert acls.found(replace(ANY, permission_type=Permission.DENY)) == set()
    first = DescribeAclsRequest(1, None, LITERAL, None, None, 1, 1)
    assert acls.found(first, version=0) == {orders, every, group}


@pytest.mark.parametrize("version", range(4))
def test_every_version_creates_and_deletes(version: int) -> None:
    acls = Cluster()
    assert acls.create(creation("orders"), version=version) == [(0, "")]
    [result] = acls.delete(meant(TOPIC, "orders", LITERAL), version=version)
    assert result.error_code == 0
    [gone] = result.matching_acls
    assert (gone.error_code, gone.resource_name, gone.principal) == (0, "orders", "User:alice")
    assert acls.found(ANY) == set()


def test_what_is_no_binding_is_refused_and_the_others_are_created() -> None:
    acls = Cluster()
    answers = acls.create(
        creation("other", kind=ResourceType.CLUSTER),
        creation(""),
        creation("a", kind=99),
        creation("a", kind=1),
        creation("a", PatternType.ANY),
        creation("a", PatternType.MATCH),
        creation("a", operation=Operation.ANY),
        creation("a", operation=77),
        creation("a", permission=Permission.ANY),
        creation("a/b"),
        creation("."),
        creation("a\U0001f600"),
        creation("a", principal="alice"),
        creation("kafka-cluster", kind=ResourceType.CLUSTER),
    )
    codes = [code for code, _ in answers]
    assert codes == [ErrorCode.INVALID_REQUEST] * 13 + [0]
    texts = [text for _, text in answers]
    assert texts[0] == "The only valid name for the CLUSTER resource is kafka-cluster"
    assert texts[1] == "Invalid empty resource name"
    assert set(texts[2:9]) == {"ACL binding contains unknown elements"}
    assert "'a/b'" in texts[9]
    assert "no znode can be named so" in texts[11]
    assert "User:NAME" in texts[12]
    assert len(acls.found(ANY)) == 1


def test_what_several_filters_mean_is_the_first_ones() -> None:
    acls = Cluster()
    acls.create(creation("a"), creation("b"), creation("a", principal="User:bob"))
    of_a, of_alice, of_none = acls.delete(
        meant(TOPIC, "a", LITERAL), meant(principal="User:alice"), meant(GROUP)
    )
    assert {(each.resource_name, each.principal) for each in of_a.matching_acls} == {
        ("a", "User:alice"),
        ("a", "User:bob"),
    }
    assert [each.resource_name for each in of_alice.matching_acls] == ["b"]
    assert of_none.matching_acls == ()
    assert acls.found(ANY) == set()


def test_a_list_that_this_node_does_not_know_yet_is_found_by_its_name() -> None:
    acls = Cluster()
    before = acls.context
    rule = b'{"principal":"User:a","permissionType":"Allow","operation":"Read","host":"*"}'
    data = b'{"version":1,"acls":[' + rule + b"]}"
    acls.world.write(Create("/kafka-acl/Topic/new", data))
    request = DeleteAclsRequest((meant(TOPIC, "new", LITERAL),))
    response = acls.come_to(k31_delete_acls.handle(before, request, NEWEST), NEWEST)
    assert isinstance(response, DeleteAclsResponse)
    assert len(response.filter_results[0].matching_acls) == 1
    assert not acls.world.exists("/kafka-acl/Topic/new")


def test_a_filter_with_a_code_that_nobody_knows_is_refused() -> None:
    acls = Cluster()
    acls.create(creation("a"))
    strange, lawful = acls.delete(meant(99), meant(TOPIC))
    assert strange.error_code == ErrorCode.INVALID_REQUEST
    assert "resource type" in (strange.error_message or "")
    assert len(lawful.matching_acls) == 1
    response = acls.describe(replace(ANY, operation=99))
    assert response.error_code == ErrorCode.INVALID_REQUEST
    assert "operation" in (response.error_message or "")


def test_a_list_that_cannot_be_read_is_reported_and_stays() -> None:
    acls = Cluster()
    acls.create(creation("a"), creation("b"))
    before = acls.context
    acls.world.write(SetData("/kafka-acl/Topic/a", b"{", ANY_VERSION))
    request = DeleteAclsRequest((meant(TOPIC),))
    response = acls.come_to(k31_delete_acls.handle(before, request, NEWEST), NEWEST)
    assert isinstance(response, DeleteAclsResponse)
    [known] = response.filter_results
    codes = {each.resource_name: each.error_code for each in known.matching_acls}
    assert codes == {"a": ErrorCode.UNKNOWN_SERVER_ERROR, "b": 0}
    [unknown] = acls.delete(meant(TOPIC, "a", LITERAL))
    assert unknown.error_code == ErrorCode.UNKNOWN_SERVER_ERROR
    assert "/kafka-acl/Topic/a" in (unknown.error_message or "")
    [(code, text)] = acls.create(creation("a"))
    assert code == ErrorCode.UNKNOWN_SERVER_ERROR
    assert "/kafka-acl/Topic/a" in text


def test_without_an_authorizer_there_are_no_lists() -> None:
    disabled = ErrorCode.SECURITY_DISABLED
    open_to_all = context(cluster())
    for outcome, count in (
        (k30_create_acls.handle(open_to_all, CreateAclsRequest((creation("a"),) * 2), 3), 2),
        (k31_delete_acls.handle(open_to_all, DeleteAclsRequest((meant(),) * 2), 3), 2),
        (k29_describe_acls.handle(open_to_all, ANY, 3), 1),
    ):
        assert isinstance(outcome, Answer)
        match outcome.response:
            case CreateAclsResponse(results=results):
                codes = [each.error_code for each in results]
            case DeleteAclsResponse(filter_results=filters):
                codes = [each.error_code for each in filters]
            case DescribeAclsResponse(error_code=code):
                codes = [code]
            case other:
                pytest.fail(f"{other}")
        assert codes == [disabled] * count
