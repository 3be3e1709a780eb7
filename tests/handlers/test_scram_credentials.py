"""DescribeUserScramCredentials and AlterUserScramCredentials over znodes in memory."""

import json
from dataclasses import replace

import pytest
from handlers.transacting import Znodes, on_the_wire
from handlers.worlds import cluster, context

from klamm.controller.core.results import Fault, Refusal
from klamm.controller.handlers import (
    k50_describe_user_scram_credentials as k50,
)
from klamm.controller.handlers import (
    k51_alter_user_scram_credentials as k51,
)
from klamm.controller.handlers.api import Answer, Context, Transact
from klamm.controller.security.authorizer import AclAuthorizer
from klamm.controller.security.credentials import AlterCredentials, FindCredential, ListUsers
from klamm.controller.security.scram import SHA_256, SHA_512, credential_of, encode_credential
from klamm.controller.store.port import Missing
from klamm.controller.znodes.errors import ZnodeError
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.alter_user_scram_credentials_request import (
    AlterUserScramCredentialsRequest,
    ScramCredentialDeletion,
    ScramCredentialUpsertion,
)
from klamm.protocol.generated.alter_user_scram_credentials_response import (
    AlterUserScramCredentialsResponse,
)
from klamm.protocol.generated.describe_user_scram_credentials_request import (
    DescribeUserScramCredentialsRequest,
    UserName,
)
from klamm.protocol.generated.describe_user_scram_credentials_response import (
    DescribeUserScramCredentialsResponse,
)

CONTEXT = context(cluster())
DENIED = replace(CONTEXT, authorizer=AclAuthorizer(frozenset()))
SALT = b"salt"
CREDENTIAL = credential_of(SHA_256, "right", SALT)
ALICE, ODD = "/config/users/alice", "/config/users/a%2Fb%20c"


def znodes(**configs: dict[str, str]) -> Znodes:
    return Znodes(
        {
            f"/config/users/{name}": json.dumps({"version": 1, "config": config}).encode()
            for name, config in configs.items()
        }
    )


def known() -> Znodes:
    """Alice has two credentials and a quota, Bob a quota alone."""
    return znodes(
        alice={
            "SCRAM-SHA-256": encode_credential(CREDENTIAL),
            "SCRAM-SHA-512": encode_credential(credential_of(SHA_512, "right", SALT, 8192)),
            "producer_byte_rate": "1000",
        },
        bob={"producer_byte_rate": "1000"},
        **{"<default>": {"producer_byte_rate": "7"}},
    )


def describe(
    found: Znodes, *users: str, asker: Context = CONTEXT, everybody: bool = False
) -> DescribeUserScramCredentialsResponse:
    names = None if everybody else tuple(map(UserName, users))
    outcome = k50.handle(asker, DescribeUserScramCredentialsRequest(names), 0)
    answer = on_the_wire(found.answer(outcome), 0)
    assert isinstance(answer, DescribeUserScramCredentialsResponse)
    return answer


def alter(
    found: Znodes,
    *changes: ScramCredentialUpsertion | ScramCredentialDeletion,
    asker: Context = CONTEXT,
) -> dict[str, tuple[int, str | None]]:
    """Return code and text by user."""
    request = AlterUserScramCredentialsRequest(
        tuple(each for each in changes if isinstance(each, ScramCredentialDeletion)),
        tuple(each for each in changes if isinstance(each, ScramCredentialUpsertion)),
    )
    answer = on_the_wire(found.answer(k51.handle(asker, request, 0)), 0)
    assert isinstance(answer, AlterUserScramCredentialsResponse)
    results = {each.user: (each.error_code, each.error_message) for each in answer.results}
    assert len(results) == len(answer.results), "each user is answered once"
    return results


def put(
    user: str, mechanism: int = 1, iterations: int = 4096, password: str = "right"
) -> ScramCredentialUpsertion:
    salted = SHA_256.salted(password, SALT, iterations)
    return ScramCredentialUpsertion(user, mechanism, iterations, SALT, salted)


def infos(answer: DescribeUserScramCredentialsResponse) -> dict[str, list[tuple[int, int]]]:
    return {
        each.user: [(info.mechanism, info.iterations) for info in each.credential_infos]
        for each in answer.results
    }


@pytest.mark.parametrize("everybody", [True, False])
def test_all_who_have_credentials_are_described(everybody: bool) -> None:
    answer = describe(known(), everybody=everybody)
    assert infos(answer) == {"alice": [(1, 4096), (2, 8192)]}


def test_some_are_described() -> None:
    answer = describe(known(), "alice", "bob", "nobody", "bob", "alice2")
    codes = {each.user: (each.error_code, each.error_message) for each in answer.results}
    missing = "Attempt to describe a user credential that does not exist: "
    twice = "Cannot describe SCRAM credentials for the same user twice in a single request: bob"
    assert codes == {
        "alice": (0, None),
        "bob": (ErrorCode.DUPLICATE_RESOURCE, twice),
        "nobody": (ErrorCode.RESOURCE_NOT_FOUND, f"{missing}nobody"),
        "alice2": (ErrorCode.RESOURCE_NOT_FOUND, f"{missing}alice2"),
    }


def test_users_with_odd_names_are_described() -> None:
    found = Znodes()
    assert alter(found, put("a/b c")) == {"a/b c": (0, None)}
    assert ODD in found.data
    assert infos(describe(found)) == {"a/b c": [(1, 4096)]}


def test_what_cannot_be_read_is_said() -> None:
    request = DescribeUserScramCredentialsRequest(None)
    outcome = k50.handle(CONTEXT, request, 0)
    assert isinstance(outcome, Transact)
    refusal = Refusal(Fault.UNKNOWN_SERVER_ERROR, "no ZooKeeper")
    answer = outcome.respond([refusal])
    assert isinstance(answer, DescribeUserScramCredentialsResponse)
    assert (answer.error_code, answer.error_message) == (-1, "no ZooKeeper")
    more = outcome.respond([("alice",)])
    assert isinstance(more, Transact)
    assert more.respond([refusal]) == answer


def test_a_credential_is_stored_as_kafka_does_and_told() -> None:
    found = known()
    assert alter(found, put("alice", iterations=8192, password="new")) == {"alice": (0, None)}
    config = json.loads(found.data[ALICE] or b"")["config"]
    new = credential_of(SHA_256, "new", SALT, 8192)
    assert config["SCRAM-SHA-256"] == encode_credential(new)
    assert config["producer_byte_rate"] == "1000"
    assert infos(describe(found, "alice")) == {"alice": [(1, 8192), (2, 8192)]}
    [notice] = found.notices()
    assert json.loads(notice or b"") == {"version": 2, "entity_path": "users/alice"}


def test_a_credential_is_deleted_and_the_rest_stays() -> None:
    found = known()
    assert alter(found, ScramCredentialDeletion("alice", 1)) == {"alice": (0, None)}
    assert infos(describe(found, "alice")) == {"alice": [(2, 8192)]}
    text = "Attempt to delete a user credential that does not exist"
    again = alter(found, ScramCredentialDeletion("alice", 1), put("carol"))
    assert again == {"alice": (ErrorCode.RESOURCE_NOT_FOUND, text), "carol": (0, None)}


def test_all_that_is_asked_of_a_user_is_done_or_nothing() -> None:
    found = known()
    both = alter(found, put("bob"), ScramCredentialDeletion("bob", 2))
    assert both["bob"][0] == ErrorCode.RESOURCE_NOT_FOUND
    assert not found.ops


@pytest.mark.parametrize(
    ("changes", "code", "text"),
    [
        ([put("")], ErrorCode.UNACCEPTABLE_CREDENTIAL, "Username must not be empty"),
        ([put("x", 3)], ErrorCode.UNSUPPORTED_SASL_MECHANISM, "Unknown SCRAM mechanism"),
        ([put("x", iterations=4095)], ErrorCode.UNACCEPTABLE_CREDENTIAL, "Too few iterations"),
        ([put("x", iterations=16385)], ErrorCode.UNACCEPTABLE_CREDENTIAL, "Too many iterations"),
        (
            [put("x"), put("x")],
            ErrorCode.DUPLICATE_RESOURCE,
            "A user credential cannot be altered twice in the same request",
        ),
        (
            [put("x"), ScramCredentialDeletion("x", 1)],
            ErrorCode.DUPLICATE_RESOURCE,
            "A user credential cannot be altered twice in the same request",
        ),
        (
            [ScramCredentialDeletion("x", 0)],
            ErrorCode.UNSUPPORTED_SASL_MECHANISM,
            "Unknown SCRAM mechanism",
        ),
    ],
)
def test_what_is_wrong_with_one_user_does_not_stop_another(
    changes: list[ScramCredentialUpsertion | ScramCredentialDeletion], code: int, text: str
) -> None:
    found = Znodes()
    user = changes[0].name
    assert alter(found, *changes, put("other")) == {user: (code, text), "other": (0, None)}
    assert [op.path for op in found.ops[:1]] == ["/config/users/other"]


def test_only_the_controller_alters() -> None:
    elsewhere = replace(CONTEXT, state=None)
    found = Znodes()
    [(code, text)] = alter(found, put("x"), asker=elsewhere).values()
    assert (code, text) == (
        ErrorCode.NOT_CONTROLLER,
        "This is not the correct controller for this cluster.",
    )
    assert not found.ops
    assert infos(describe(known(), asker=elsewhere)), "any node describes"


def test_without_rights_nothing_is_read_or_written() -> None:
    outcome = k50.handle(DENIED, DescribeUserScramCredentialsRequest(None), 0)
    assert isinstance(outcome, Answer)
    assert isinstance(outcome.response, DescribeUserScramCredentialsResponse)
    assert outcome.response.error_code == ErrorCode.CLUSTER_AUTHORIZATION_FAILED
    found = Znodes()
    [(code, _)] = alter(found, put("x"), asker=DENIED).values()
    assert code == ErrorCode.CLUSTER_AUTHORIZATION_FAILED
    assert not found.ops


def test_a_login_finds_its_credential() -> None:
    found = known()
    for mechanism, iterations in ((SHA_256, 4096), (SHA_512, 8192)):
        find = FindCredential("alice", mechanism)
        credential = find.decide(tuple(map(found.find, find.reads))).result
        assert credential is not None
        assert credential.iterations == iterations
    for user in ("bob", "nobody"):
        find = FindCredential(user, SHA_256)
        assert find.decide(tuple(map(found.find, find.reads))).result is None


def test_what_is_no_credential_is_said_and_not_shown() -> None:
    found = znodes(alice={"SCRAM-SHA-256": "salt=c2VjcmV0"})
    find = FindCredential("alice", SHA_256)
    with pytest.raises(ZnodeError, match="it is no credential") as refused:
        find.decide(tuple(map(found.find, find.reads)))
    assert "c2VjcmV0" not in str(refused.value)


def test_without_a_folder_there_are_no_users() -> None:
    assert ListUsers().decide((Missing("/config/users"),)).result == ()


def test_the_journal_is_told_whose_and_no_secret() -> None:
    change = AlterCredentials("alice", ((SHA_256, CREDENTIAL), (SHA_512, None)))
    decision = change.decide(tuple(map(known().find, change.reads)))
    assert decision.note is not None
    assert decision.note.text == "users/alice: set SCRAM-SHA-256, unset SCRAM-SHA-512"
