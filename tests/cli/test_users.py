"""`klamm users` on a real ZooKeeper: the users of a cluster before there is one."""

import json
from collections.abc import Callable

import pytest
from click.testing import CliRunner, Result
from kazoo.client import KazooClient

from klamm.controller.security.scram import SHA_256, SHA_512, credential_of, decode_credential
from klamm.tools.cli.users import command
from klamm.tools.embedded.zookeeper import EmbeddedZookeeper

Users = Callable[..., Result]


@pytest.fixture
def connect(zookeeper: EmbeddedZookeeper, request: pytest.FixtureRequest) -> str:
    """A chroot of the test's own, which is not there yet."""
    return f"{zookeeper.connect_string}/{request.node.name.partition('[')[0]}"


@pytest.fixture
def users(connect: str) -> Users:
    def run(action: str, *words: str, typed: str | None = None) -> Result:
        return CliRunner().invoke(command, [action, *words, "--zookeeper", connect], input=typed)

    return run


def test_users_are_made_listed_changed_and_deleted(users: Users, connect: str) -> None:
    assert users("list").output == ""
    put = users("put", "alice", typed="right\nright\n")
    assert (put.exit_code, put.output.splitlines()[-1]) == (
        0,
        "alice has a password for SCRAM-SHA-512",
    )
    words = ("--mechanism", "scram-sha-256", "--iterations", "4096", "--password", "builder")
    assert users("put", "b/b", *words).exit_code == 0
    assert users("list").output.splitlines() == [
        "alice  SCRAM-SHA-512  8192 iterations",
        "b/b  SCRAM-SHA-256  4096 iterations",
    ]
    client = KazooClient(connect)
    client.start()
    try:
        config = json.loads(client.get("/config/users/b%2Fb")[0])["config"]
        found = decode_credential(config["SCRAM-SHA-256"])
        assert found == credential_of(SHA_256, "builder", found.salt, 4096)
        assert len(client.get_children("/config/changes")) == 2, "brokers are told"
        assert users("put", "alice", "--password", "new").exit_code == 0
        config = json.loads(client.get("/config/users/alice")[0])["config"]
        found = decode_credential(config["SCRAM-SHA-512"])
        assert found == credential_of(SHA_512, "new", found.salt, 8192)
    finally:
        client.stop()
        client.close()
    assert users("delete", "alice").exit_code == 0
    assert users("list").output == "b/b  SCRAM-SHA-256  4096 iterations\n"


def test_what_is_not_there_is_not_deleted(users: Users) -> None:
    refused = users("delete", "nobody")
    assert refused.exit_code == 1
    assert "nobody: Attempt to delete a user credential that does not exist" in refused.output


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("", "--password", "x"), "a user needs a name and a password"),
        (("x", "--password", "x", "--iterations", "100"), "is not in the range 4096<=x<=16384"),
        (("x", "--password", "x", "--mechanism", "PLAIN"), "is not one of"),
    ],
)
def test_what_cannot_be(users: Users, words: tuple[str, ...], why: str) -> None:
    refused = users("put", *words)
    assert refused.exit_code == 2
    assert why in refused.output
