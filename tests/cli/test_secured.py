"""`klamm up --tls --sasl`, and a cluster put together by hand, as people do it."""

import json
import re
import signal
from pathlib import Path

import pytest
from cli.commands import left_in, running
from click.testing import CliRunner
from kafka import KafkaAdminClient
from kazoo.client import KazooClient
from processes import wait_until

from klamm.controller.runtime.properties import read_properties
from klamm.controller.security.sasl import client_login
from klamm.tools.certificates import Authority
from klamm.tools.cli import up, users


@pytest.mark.parametrize(
    ("words", "protocol"),
    [
        (["--tls", "--client-certificates", "--memory"], "SSL"),
        (["--tls", "--sasl", "scram-sha-512", "--memory"], "SASL_SSL"),
        pytest.param(["--sasl", "plain", "--nodes", "2"], "SASL_PLAINTEXT", marks=pytest.mark.slow),
    ],
)
def test_a_secured_cluster_lets_in_by_the_file_that_it_names(
    tmp_path: Path, words: list[str], protocol: str
) -> None:
    with running(tmp_path, "up", "--brokers", "2", *words) as command:
        file = Path(command.ready["client_properties"])
        given = read_properties(file)
        assert file.parent.stat().st_mode & 0o077 == 0, "only the owner reads the passwords"
        asked = {
            "bootstrap_servers": command.ready["bootstrap"],
            "security_protocol": protocol,
            "ssl_cafile": given.get("ssl.truststore.location"),
            "ssl_certfile": given.get("ssl.keystore.location"),
            "ssl_keyfile": given.get("ssl.keystore.location"),
        }
        password = ""
        if "sasl.mechanism" in given:
            login = client_login(given)
            password = login.password
            asked |= {
                "sasl_mechanism": login.mechanism,
                "sasl_plain_username": login.username,
                "sasl_plain_password": password,
            }
        with KafkaAdminClient(**asked) as admin:
            assert len(admin.describe_cluster()["brokers"]) >= 3
        for child in (command.process.pid, *command.family):
            shown = Path(f"/proc/{child}/cmdline")
            assert not password or password.encode() not in shown.read_bytes()
        output = command.end(signal.SIGINT)
    assert f"--command-config {file}" in re.sub(r"\s+", " ", output)
    assert not password or password not in output
    assert left_in(tmp_path) == []


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--client-certificates"], "--client-certificates needs --tls"),
        (["--sasl", "gssapi"], "is not one of"),
        (["--override", "security.inter.broker.protocol=SSL"], "nodes have one listener"),
    ],
)
def test_what_cannot_be_secured(words: list[str], why: str) -> None:
    refused = CliRunner().invoke(up.command, ["--memory", *words])
    assert refused.exit_code == 2
    assert why in refused.output


@pytest.mark.slow
def test_a_node_with_two_listeners_and_brokers_by_one_of_them(tmp_path: Path, chroot: str) -> None:
    """Users first, then a node, then brokers; clients come by the other listener."""
    authority = Authority.create()
    for name, pem in {
        "authority.pem": authority.pem,
        "klamm.pem": authority.issue("klamm", ["127.0.0.1"]).pem,
    }.items():
        (tmp_path / name).write_text(pem)
    for user in ("klamm", "alice"):
        words = ["put", user, "--zookeeper", chroot, "--password", f"{user}'s"]
        assert CliRunner().invoke(users.command, words).exit_code == 0
    module = "org.apache.kafka.common.security.scram.ScramLoginModule required"
    config = tmp_path / "server.properties"
    config.write_text(
        "node.id=900\n"
        f"zookeeper.connect={chroot}\n"
        "listeners=INSIDE://127.0.0.1:0,OUTSIDE://127.0.0.1:0\n"
        "listener.security.protocol.map=INSIDE:SASL_SSL,OUTSIDE:SASL_PLAINTEXT\n"
        "inter.broker.listener.name=INSIDE\n"
        "sasl.enabled.mechanisms=SCRAM-SHA-512\n"
        "sasl.mechanism.inter.broker.protocol=SCRAM-SHA-512\n"
        f"ssl.keystore.type=PEM\nssl.keystore.location={tmp_path}/klamm.pem\n"
        f"ssl.truststore.type=PEM\nssl.truststore.location={tmp_path}/authority.pem\n"
        "listener.name.inside.scram-sha-512.sasl.jaas.config="
        f'{module} username="klamm" password="klamm\'s";\n'
    )
    with running(tmp_path, "serve", "--config", str(config)) as node:
        (tmp_path / "ready.json").unlink()
        words = ["--zookeeper", chroot, "--ids", "0,1", "--config", str(config)]
        with running(tmp_path, "brokers", *words) as brokers:
            secured = {
                "security_protocol": "SASL_SSL",
                "ssl_cafile": str(tmp_path / "authority.pem"),
                "sasl_mechanism": "SCRAM-SHA-512",
                "sasl_plain_username": "alice",
                "sasl_plain_password": "alice's",
            }
            with KafkaAdminClient(bootstrap_servers=node.ready["bootstrap"], **secured) as admin:

                def known() -> set[int]:
                    return {each["broker_id"] for each in admin.describe_cluster()["brokers"]}

                wait_until(lambda: known() == {0, 1, 900}, "all nodes by the listener inside")
                # Brokers answer as nodes do, once the controller has told them.
                [topic] = admin.create_topics({"t": {"assignments": {0: [1]}}})["topics"]
                assert topic["error_code"] == 0
            told = KafkaAdminClient(
                bootstrap_servers=outside(chroot),
                security_protocol="SASL_PLAINTEXT",
                sasl_mechanism="SCRAM-SHA-512",
                sasl_plain_username="alice",
                sasl_plain_password="alice's",
            )
            with told as other:
                found = [broker["broker_id"] for broker in other.describe_cluster()["brokers"]]
                assert found == [900], "of the listener outside there is but one"
            brokers.end(signal.SIGINT)
        text = node.end(signal.SIGINT)
    assert re.search(r"serves on 127\.0\.0\.1:\d+ \(INSIDE\), 127\.0\.0\.1:\d+ \(OUTSIDE\)", text)


def outside(chroot: str) -> str:
    """Return where the node listens for clients, as it has registered."""
    client = KazooClient(chroot)
    client.start()
    try:
        registered = json.loads(client.get("/klamm/nodes/900")[0])
    finally:
        client.stop()
        client.close()
    [address] = [each for each in registered["endpoints"] if each.startswith("OUTSIDE://")]
    return str(address).removeprefix("OUTSIDE://")
