"""Finds the jars of a ZooKeeper server among those that PySpark brings along."""

from importlib.util import find_spec
from pathlib import Path

from klamm.tools.embedded.errors import JarsNotFoundError

ZOOKEEPER_JARS = (
    "zookeeper-[0-9]*.jar",
    "zookeeper-jute-*.jar",
    "slf4j-api-*.jar",
    "log4j-api-*.jar",
    "log4j-core-*.jar",
    "log4j-slf4j2-*.jar",
    "netty-buffer-*.jar",
    "netty-codec-*.jar",
    "netty-common-*.jar",
    "netty-handler-*.jar",
    "netty-resolver-*.jar",
    "netty-transport-*.jar",
    "snappy-java-*.jar",
    "metrics-core-*.jar",
    "audience-annotations-*.jar",
)
"""The few of PySpark's 200 jars that a server touches; all of them would double its start-up."""


def zookeeper_jars() -> list[Path]:
    """Return the class path of a ZooKeeper server.

    PySpark is looked up, not imported: its import takes longer than the server's start. Raises
    JarsNotFoundError if it is not installed or has no ZooKeeper in it.
    """
    spec = find_spec("pyspark")
    if spec is None or not spec.submodule_search_locations:
        raise JarsNotFoundError(_reason("the package pyspark is not installed"))
    folder = Path(spec.submodule_search_locations[0], "jars").absolute()
    found = {pattern: sorted(folder.glob(pattern)) for pattern in ZOOKEEPER_JARS}
    missing = [pattern for pattern, jars in found.items() if not jars]
    if missing:
        raise JarsNotFoundError(_reason(f"{folder} has no {', '.join(missing)}"))
    return [jar for jars in found.values() for jar in jars]


def _reason(what: str) -> str:
    return (
        f"the embedded ZooKeeper runs from PySpark's jars, but {what}."
        " Run: pip install 'klamm[spark]', or use a ZooKeeper of your own"
    )
