"""`klamm topics` and kafka-topics print the same about a cluster of Kafka's own."""

import pytest
from click.testing import CliRunner
from peers.java_tools.test_topics_texts import COMMANDS
from peers.kafka_jars import TOPICS
from peers.klamm_tool.stage import Stage

from klamm.tools.cli.main import main

pytestmark = pytest.mark.slow


def test_the_same_lines_and_codes(stage: Stage, name: str) -> None:
    topic = stage.topic(name, [1, 2], [2, 3], [3, 1], [1, 3])
    server = ("--bootstrap-server", stage.cluster.bootstrap)
    printed, expected = {}, {}
    for command in COMMANDS:
        words = [topic if word == "%s" else word for word in command.split()]
        theirs = stage.tools.run(TOPICS, *server, *words)
        mine = CliRunner().invoke(main, ["topics", *server, *words])
        # 3.9 prints the Java object around the name, 4.x the name.
        expected[command] = theirs.status, theirs.out.replace("Optional[none]", "none")
        printed[command] = mine.exit_code, mine.stdout
    assert printed == expected
