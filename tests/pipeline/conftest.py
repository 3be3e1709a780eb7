"""One small Spark session for all tests of a run that ask for one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: Errors only, and no colour: what is logged is read in a test's output.
_LOG4J = """\
rootLogger.level = error
rootLogger.appenderRef.stderr.ref = stderr
appender.stderr.type = Console
appender.stderr.name = stderr
appender.stderr.target = SYSTEM_ERR
appender.stderr.layout.type = PatternLayout
appender.stderr.layout.pattern = %d{HH:mm:ss} %p %c{1}: %m%n
"""


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """Start Spark once, when the first test asks for it: two threads, half a gigabyte."""
    from klamm.tools.pipeline.session import opened

    log4j = tmp_path_factory.mktemp("spark") / "log4j2.properties"
    log4j.write_text(_LOG4J)
    conf = {
        "spark.driver.memory": "512m",
        "spark.driver.extraJavaOptions": (
            f"-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Dlog4j2.configurationFile=file:{log4j}"
        ),
        "spark.sql.shuffle.partitions": "2",
        # Executors import what tests give them as the tests do.
        "spark.executorEnv.PYTHONPATH": str(Path(__file__).parent.parent),
        "spark.ui.enabled": "false",
    }
    with opened("local[2]", conf) as session:
        yield session
