from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Self, cast

import pytest

from klamm.tools.pipeline import session
from klamm.tools.pipeline.progress import Stage, under_way

if TYPE_CHECKING:
    from pyspark import SparkContext

SCRATCH = Path("/scratch")


def test_what_the_user_has_set_counts_for_more() -> None:
    conf = {"spark.sql.session.timeZone": "Asia/Tokyo", "spark.executor.memory": "3g"}
    found = session.settings("local[2]", conf, SCRATCH)
    assert found["spark.sql.session.timeZone"] == "Asia/Tokyo"
    assert found["spark.executor.memory"] == "3g"
    assert found["spark.master"] == "local[2]"
    assert found["spark.sql.ansi.enabled"] == "true"


def test_java_options_of_both_are_given() -> None:
    conf = {"spark.driver.extraJavaOptions": "-XX:+UseSerialGC"}
    options = session.settings("local", conf, SCRATCH)["spark.driver.extraJavaOptions"]
    assert options.endswith("log4j2.properties -XX:+UseSerialGC")


@pytest.mark.parametrize("master", ["local", "local[2]", "local[*]"])
def test_executors_that_are_threads_of_the_driver_get_nothing(master: str) -> None:
    archive, code = Path("/a.tar.gz"), Path("/k.zip")
    found = session.settings(master, {}, SCRATCH, archive=archive, code=code)
    assert not {"spark.archives", "spark.submit.pyFiles"} & found.keys()
    assert found["spark.driver.host"] == "127.0.0.1"
    assert found["spark.ui.enabled"] == "false"
    assert session.settings(master, {}, SCRATCH, ui=True)["spark.ui.enabled"] == "true"


@pytest.mark.parametrize("master", ["spark://host:7077", "k8s://https://host:443", "yarn"])
def test_executors_elsewhere_get_the_archive_or_the_code(master: str) -> None:
    key = "spark.yarn.dist.archives" if master == "yarn" else "spark.archives"
    conf = {key: "/theirs.zip#t", "spark.executorEnv.PYTHONPATH": "t"}
    found = session.settings(master, conf, SCRATCH, archive=Path("/a.tar.gz"))
    assert found[key] == "/a.tar.gz#klamm-pack,/theirs.zip#t"
    assert found["spark.executorEnv.PYTHONPATH"] == "./klamm-pack:t"
    found = session.settings(master, {}, SCRATCH, code=Path("/k.zip"))
    assert found["spark.submit.pyFiles"] == "/k.zip"
    assert not {key, "spark.driver.host", "spark.ui.enabled"} & found.keys()


def test_a_master_on_this_machine_is_met_on_its_own_address() -> None:
    assert session.settings("spark://127.0.0.1:1", {}, SCRATCH)["spark.driver.host"] == "127.0.0.1"
    assert session.settings("local-cluster[1,1,512]", {}, SCRATCH)["spark.driver.host"]


def test_without_java_there_is_a_way_out(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    # Where the process has a session already, no other one is made.
    monkeypatch.setattr("pyspark.sql.SparkSession.getActiveSession", lambda: None)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("klamm.tools.embedded.java.find_spec", lambda name: None)
    with (
        pytest.raises(session.SparkMissingError, match=r"(?s)no Java 17 or later.*or use --plain"),
        session.opened("local[1]"),
    ):
        pass


@pytest.mark.parametrize("name", ["pyspark", "pyarrow", "pandas"])
def test_without_spark_there_is_a_way_out(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(session, "find_spec", lambda each: None if each == name else each)
    with (
        pytest.raises(
            session.SparkMissingError, match=rf"{name} is not.*\[spark\].*or use --plain"
        ),
        session.opened(),
    ):
        pass


def test_progress_says_what_is_tried_again() -> None:
    assert str(Stage(3, 40, 12, 2, 0)) == "stage 3: 12 of 40 tasks done"
    assert str(Stage(3, 40, 12, 2, 1)).endswith("done, 1 failed and are tried again")


class _Tracker:
    """Two stages run; one of them has ended before anybody asks how far it is."""

    def statusTracker(self) -> Self:
        return self

    def getActiveStageIds(self) -> list[int]:
        return [9, 4]

    def getStageInfo(self, number: int) -> SimpleNamespace | None:
        info = {"numTasks": 8, "numCompletedTasks": 5, "numActiveTasks": 2, "numFailedTasks": 1}
        return SimpleNamespace(**info) if number == 9 else None


def test_a_stage_that_has_just_ended_is_not_shown() -> None:
    assert under_way(cast("SparkContext", _Tracker())) == [Stage(9, 8, 5, 2, 1)]
