"""Kafka 3.9.1 as it was released: brokers and command line tools, from Maven's jars.

    command = [*kafka_java("kafka.admin.ConfigCommand", heap_mib=64), "--describe", ...]

The jars are fetched once and trusted by checksum. On a machine without Java or Maven the calling
test is skipped, with a hint.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import pytest

from klamm.tools.embedded.errors import JavaNotFoundError
from klamm.tools.embedded.java import find_java
from klamm.tools.embedded.maven import MavenMissingError, cache_folder, pinned_jars

PROJECT = Path(__file__).resolve().parent / "kafka"
#: The same of 4.1.1, which knows KRaft only; its log goes to standard error.
KAFKA_4 = PROJECT.with_name("kafka_4")

BROKER = "kafka.Kafka"
TOPICS = "org.apache.kafka.tools.TopicCommand"
REASSIGN_PARTITIONS = "org.apache.kafka.tools.reassign.ReassignPartitionsCommand"
CONFIGS = "kafka.admin.ConfigCommand"
LEADER_ELECTION = "org.apache.kafka.tools.LeaderElectionCommand"
LOG_DIRS = "org.apache.kafka.tools.LogDirsCommand"
ACLS = "kafka.admin.AclCommand"
BROKER_API_VERSIONS = "kafka.admin.BrokerApiVersionsCommand"

#: Tools that have another name in 4.
IN_KAFKA_4 = {
    ACLS: "org.apache.kafka.tools.AclCommand",
    BROKER_API_VERSIONS: "org.apache.kafka.tools.BrokerApiVersionsCommand",
}


@cache
def kafka_class_path(project: Path = PROJECT) -> str:
    """Return the class path of kafka_2.13 and kafka-tools, with what writes logs behind slf4j."""
    try:
        found = pinned_jars(project, cache_folder())
    except MavenMissingError as error:
        pytest.skip(str(error))
    return os.pathsep.join(str(path) for path in found.values())


def kafka_java(
    main: str, *, heap_mib: int, log4j: Path | None = None, project: Path = PROJECT
) -> list[str]:
    """Return the command that runs a main class; its arguments go behind.

    `log4j` configures logging (log4j 1 properties); None logs warnings to standard error. Which
    release it is goes by `project`: PROJECT or KAFKA_4.
    """
    try:
        java = find_java().path
    except JavaNotFoundError as error:
        pytest.skip(str(error))
    options = [f"-Xmx{heap_mib}m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
    options.append("-XX:-UsePerfData")  # or a killed one leaves a file in /tmp/hsperfdata_*
    options.append(
        f"-Dlog4j.configuration={(log4j or PROJECT / 'tools.log4j.properties').as_uri()}"
    )
    # 4.1.1 logs by another library, and its ConfigCommand sets up a third one in vain.
    options.append("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn")
    options.append("-Dlog4j2.statusLoggerLevel=OFF")
    return [str(java), *options, "-cp", kafka_class_path(project), main]
