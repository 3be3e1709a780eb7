"""The one place where a Spark session is made.

Everything that `klamm pipeline` asks of Spark goes through `opened`: settings that make results
the same everywhere, this package for executors that do not have it, and a driver that binds where
the master can reach it. What a user has set by `--conf` counts for more.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from klamm.tools.embedded.errors import JavaNotFoundError
from klamm.tools.embedded.java import find_java
from klamm.tools.pipeline import pack
from klamm.tools.pipeline.progress import shown

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LOCAL = "local[*]"
#: Where executors unpack the archive, below the folder that each of them works in.
_UNPACKED = "klamm-pack"
_LOOPBACK = ("127.0.0.1", "localhost")
#: Settings of which ours and the user's are both wanted: what stands between two values.
_JOINED = {
    "spark.archives": ",",
    "spark.yarn.dist.archives": ",",
    "spark.submit.pyFiles": ",",
    "spark.executorEnv.PYTHONPATH": ":",
    "spark.driver.extraJavaOptions": " ",
}
#: Spark tells at each start what it is about to do. Errors, such as a lost executor, are shown.
_LOG4J = """\
rootLogger.level = error
rootLogger.appenderRef.stderr.ref = stderr
appender.stderr.type = Console
appender.stderr.name = stderr
appender.stderr.target = SYSTEM_ERR
appender.stderr.layout.type = PatternLayout
appender.stderr.layout.pattern = spark: %p %c{1}: %m%n
"""


class SparkMissingError(Exception):
    """There is no Spark here, or none that can be had as asked for; the text says a way out."""


def is_local(master: str) -> bool:
    """Tell whether executors are threads of the driver, and have what the driver has."""
    return master == "local" or master.startswith("local[")


def settings(
    master: str,
    conf: Mapping[str, str],
    scratch: Path,
    *,
    archive: Path | None = None,
    code: Path | None = None,
    ui: bool = False,
) -> dict[str, str]:
    """Return all settings of a session.

    `archive` is an environment for executors (`klamm.tools.pipeline.pack`), `code` a zip of this
    package alone. A value of `conf` takes the place of ours, or joins it where both are needed.
    """
    ours = {
        "spark.app.name": "klamm",
        "spark.master": master,
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.ansi.enabled": "true",
        "spark.sql.execution.arrow.pyspark.enabled": "true",
        "spark.sql.warehouse.dir": str(scratch / "warehouse"),
        "spark.sql.sources.partitionOverwriteMode": "dynamic",
        # Partition columns are text as they are written: a cluster named 007 stays 007.
        "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.extraJavaOptions": (
            f"-Dlog4j2.configurationFile={(scratch / 'log4j2.properties').as_uri()}"
        ),
    }
    if master.startswith("local") or urlsplit(master).hostname in _LOOPBACK:
        ours |= {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
    if is_local(master):
        ours["spark.ui.enabled"] = "true" if ui else "false"
    elif archive is not None:
        key = "spark.yarn.dist.archives" if master == "yarn" else "spark.archives"
        ours[key] = f"{archive.absolute()}#{_UNPACKED}"
        ours["spark.executorEnv.PYTHONPATH"] = f"./{_UNPACKED}"
    elif code is not None:
        ours["spark.submit.pyFiles"] = str(code)
    for key, value in conf.items():
        between = _JOINED.get(key)
        ours[key] = value if between is None or key not in ours else ours[key] + between + value
    return ours


@contextmanager
def opened(
    master: str = LOCAL,
    conf: Mapping[str, str] | None = None,
    *,
    archive: Path | None = None,
    ui: bool = False,
    progress: bool = False,
) -> Iterator[SparkSession]:
    """Give a session, and stop it at the end; `conf` counts for more than what is set here.

    A session of the same master that this process has already is given as it is, and goes on.
    `progress` shows on standard error how far Spark's stages are. Raises SparkMissingError without
    pyspark, pyarrow or Java, and PackError for an archive that does not fit this process.
    """
    for name in ("pyspark", "pyarrow", "pandas"):
        if find_spec(name) is None:
            raise SparkMissingError(
                f"{name} is not installed: pip install 'klamm[spark]', or use --plain"
            )
    from pyspark.sql import SparkSession

    session = SparkSession.getActiveSession()
    if session is not None:
        there = session.sparkContext.master
        if there != master:
            raise SparkMissingError(
                f"this process has a session of {there} already, so it gets none of {master}"
            )
        yield session
        return
    if archive is not None:
        pack.check(archive)
    _find_java()
    _choose_python(master, conf or {})
    with TemporaryDirectory(prefix="klamm-spark-") as folder:
        scratch, code = Path(folder), None
        (scratch / "log4j2.properties").write_text(_LOG4J)
        if archive is None and not is_local(master):
            code = pack.zip_code(scratch / "klamm.zip")
        builder = SparkSession.builder
        chosen = settings(master, conf or {}, scratch, archive=archive, code=code, ui=ui)
        for key, value in chosen.items():
            builder = builder.config(key, value)
        session = _made(builder, master)
        if ui and session.sparkContext.uiWebUrl:
            print(f"Spark's pages: {session.sparkContext.uiWebUrl}", file=sys.stderr)  # noqa: T201
        try:
            with shown(session.sparkContext, progress):
                yield session
        finally:
            session.stop()


def _made(builder: SparkSession.Builder, master: str) -> SparkSession:
    """Make the session; a master that does not answer is refused after a minute, by Spark."""
    from py4j.protocol import Py4JError  # type: ignore[import-untyped]
    from pyspark.errors import PySparkException

    try:
        return builder.getOrCreate()
    except (Py4JError, PySparkException) as error:
        said = next((line for line in str(error).splitlines() if ": " in line), str(error))
        raise SparkMissingError(f"no session of {master}: {said.strip()}") from error


def _find_java() -> None:
    """Have Spark's start script use the Java that everything here uses."""
    try:
        java = find_java()
    except JavaNotFoundError as error:
        raise SparkMissingError(f"{error}, or use --plain, which needs none") from error
    os.environ["JAVA_HOME"] = str(java.path.parent.parent)


def _choose_python(master: str, conf: Mapping[str, str]) -> None:
    """Say which Python executors start, unless the user's environment does.

    Spark refuses another minor version than the driver's. On machines of others the driver's own
    path means nothing, so there it is looked for by name.
    """
    chosen = conf.get("spark.pyspark.python")
    if chosen is not None:
        os.environ["PYSPARK_PYTHON"] = chosen
    elif master.startswith("local"):
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    else:
        os.environ.setdefault("PYSPARK_PYTHON", f"python{pack.PYTHON}")
