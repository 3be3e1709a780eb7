"""`klamm topics` and kafka-topics of 3.9.1 and 4.1.1 print the same about the same cluster."""

from collections.abc import Callable

import pytest
from click.testing import CliRunner
from clients.cluster import BROKERS
from peers.java_tools.tools import JavaTools, Run
from peers.kafka_jars import TOPICS
from thin_line.world import World, eventually

from klamm.tools.cli.main import main

pytestmark = pytest.mark.slow

#: What each is run with; %s is a topic that moves.
COMMANDS = (
    "--list",
    "--list --exclude-internal --topic %s",
    "--describe --topic %s",
    "--describe --topic %s --under-replicated-partitions",
    "--describe --topic %s --unavailable-partitions",
    "--describe --topic %s --under-min-isr-partitions",
    "--describe --topic %s --at-min-isr-partitions",
    "--describe --topic %s --topics-with-overrides",
    "--describe --topic none",
    "--describe --topic none --if-exists",
    "--delete --topic none",
    "--alter --topic %s --partitions 1",
    "--alter --topic none --partitions 2",
    "--create --topic %s",
    "--create --topic %s --if-not-exists",
    "--create --topic no.thing --replication-factor 0",
    "--create --topic no.thing --partitions 0",
    "--create --topic no.thing --replica-assignment 1:1",
    "--create --topic no.thing --config retention.ms",
    "--create --topic no.thing --replication-factor 99",
    "--create --topic no@thing",
)

Tool = Callable[..., Run]


@pytest.fixture
def java(world: World, either_tools: JavaTools) -> Tool:
    server = ("--bootstrap-server", world.local.bootstrap)
    return lambda *words: either_tools.run(TOPICS, *server, *words)


@pytest.fixture
def ours(world: World) -> Tool:
    def run(*words: str) -> Run:
        bootstrap = ("--bootstrap-server", world.local.bootstrap)
        result = CliRunner().invoke(main, ["topics", *bootstrap, *words])
        return Run(result.exit_code, result.stdout, result.stderr)

    return run


def test_the_same_lines_and_codes(world: World, java: Tool, ours: Tool) -> None:
    world.freeze(4)
    topic = world.topic([1, 2], [2, 3], [3, 1])
    made = java("--alter", "--topic", topic, "--partitions", "4")
    assert made.status == 0
    eventually(lambda: all(world.told(id_, topic, 3) for id_ in BROKERS), "four partitions")
    assert world.alter(topic, [4, 2], 0) == 0
    assert world.alter(topic, [1, 3, 4], 2) == 0
    printed, expected = {}, {}
    for command in COMMANDS:
        words = [topic if word == "%s" else word for word in command.split()]
        theirs, found = java(*words), ours(*words)
        # 3.9 prints the Java object around the name, 4.x the name.
        expected[command] = theirs.status, theirs.out.replace("Optional[none]", "none")
        printed[command] = found.status, found.out
    assert printed == expected
