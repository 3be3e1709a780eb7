"""A Spark standalone cluster of processes, with executors that do not have klamm."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from processes import has_ended, wait_until

from klamm.tools.embedded.java import find_java
from klamm.tools.embedded.process import WatchedProcess

HOST = "127.0.0.1"
ROOT = Path(__file__).resolve().parents[3]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port


@dataclass
class Standalone:
    """A master and its workers; one dies of SIGKILL by `kill_worker`."""

    folder: Path
    stack: ExitStack
    url: str = ""
    port: int = 0
    workers: list[WatchedProcess] = field(default_factory=list)

    def start(self, workers: int) -> None:
        rpc, self.port = free_port(), free_port()
        self.url = f"spark://{HOST}:{rpc}"
        ports = ["--port", str(rpc), "--webui-port", str(self.port)]
        self._daemon("master.Master", "master", ports)
        wait_until(self._answers, "the master", 60.0)
        for number in range(workers):
            self.start_worker(f"worker{number}")
        wait_until(lambda: self.alive() == workers, f"{workers} workers", 60.0)

    def start_worker(self, name: str) -> None:
        work = self.folder / name
        size = ["--cores", "1", "--memory", "1g", "--work-dir", str(work)]
        ports = ["--port", str(free_port()), "--webui-port", str(free_port())]
        self.workers.append(self._daemon("worker.Worker", name, [*ports, *size, self.url]))

    def _daemon(self, name: str, log: str, options: Sequence[str]) -> WatchedProcess:
        spec = find_spec("pyspark")
        assert spec is not None
        assert spec.origin is not None
        home = Path(spec.origin).parent
        environment = {
            **{key: value for key, value in os.environ.items() if not key.startswith("PYTHON")},
            "JAVA_HOME": str(find_java().path.parent.parent),
            "SPARK_HOME": str(home),
            "SPARK_LOCAL_IP": HOST,
            "SPARK_DAEMON_MEMORY": "256m",
            "SPARK_DAEMON_JAVA_OPTS": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
        }
        command = [str(home / "bin" / "spark-class"), f"org.apache.spark.deploy.{name}"]
        output = self.stack.enter_context((self.folder / f"{log}.log").open("wb"))
        process = WatchedProcess(
            [*command, "--host", HOST, *options], cwd=self.folder, log=output, env=environment
        )
        self.stack.callback(process.stop)
        return process

    def state(self) -> dict[str, Any]:
        with urlopen(f"http://{HOST}:{self.port}/json/", timeout=10) as answer:
            found: dict[str, Any] = json.load(answer)
            return found

    def _answers(self) -> bool:
        # Before the master has joined its pages to the server, that answers with an empty one.
        try:
            return bool(self.state())
        except (OSError, json.JSONDecodeError):
            return False

    def alive(self) -> int:
        return sum(each["state"] == "ALIVE" for each in self.state()["workers"])

    def kill_worker(self) -> None:
        worker = self.workers.pop()
        os.kill(worker.pid, signal.SIGKILL)
        worker.wait(10.0)

    def executors(self) -> list[int]:
        """Return the processes that work below a worker's folder: executors and their Python."""
        found = []
        for entry in Path("/proc").iterdir():
            try:
                here = entry.name.isdigit() and (entry / "cwd").readlink()
            except OSError:
                continue  # it has just ended, or is another user's
            if here and here.is_relative_to(self.folder):
                found.append(int(entry.name))
        return found

    def end_executors(self) -> None:
        """End what a killed worker has left: an executor is no child of anybody who is watched."""
        for pid in self.executors():
            if not has_ended(pid):
                os.kill(pid, signal.SIGKILL)
        wait_until(lambda: all(map(has_ended, self.executors())), "no executor")


@contextmanager
def started(folder: Path) -> Iterator[Standalone]:
    """Start a master and two workers; at the end nothing of them is left."""
    with ExitStack() as stack:
        cluster = Standalone(folder, stack)
        stack.callback(cluster.end_executors)
        cluster.start(workers=2)
        yield cluster


@pytest.fixture(scope="module")
def standalone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Standalone]:
    with started(tmp_path_factory.mktemp("spark")) as cluster:
        yield cluster


@dataclass(frozen=True)
class Driver:
    """The `klamm` of a wheel, in a folder of its own, and what its executors start."""

    site: Path
    python: Path
    archive: Path

    def environment(self) -> dict[str, str]:
        return {
            **os.environ,
            "PYTHONPATH": str(self.site),
            "PYTHONSAFEPATH": "1",
            "PYSPARK_PYTHON": str(self.python),
            "SPARK_LOCAL_IP": HOST,
        }

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "klamm.tools.cli", *arguments],
            env=self.environment(),
            cwd=self.site,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *arguments: str) -> str:
        """Return what it prints; it must end well."""
        output, errors = self.start(*arguments).communicate(timeout=500)
        assert output, errors[-3000:]
        return output

    def on(self, cluster: Standalone) -> list[str]:
        """Return the options by which a job runs there."""
        settings = {
            "spark.executor.memory": "512m",
            "spark.executor.cores": "1",
            "spark.cores.max": "2",
            "spark.driver.memory": "512m",
            "spark.executor.extraJavaOptions": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
            "spark.sql.shuffle.partitions": "4",
        }
        options = [f"--conf={key}={value}" for key, value in settings.items()]
        return ["--master", cluster.url, "--archive", str(self.archive), *options]


@pytest.fixture(scope="session")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Driver:
    """Build the wheel from a copy of the tree, install it aside, and pack what executors need."""
    folder = tmp_path_factory.mktemp("driver")
    source, site, venv = folder / "source", folder / "site", folder / "venv"
    for name in ("protocol", "controller", "tools"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, source / name)
    pip = [sys.executable, "-P", "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run(
        [*pip, "wheel", "--no-deps", "--no-build-isolation", "-w", str(folder), str(source)],
        check=True,
    )
    (wheel,) = folder.glob("klamm-*.whl")
    subprocess.run([*pip, "install", "--no-deps", "--target", str(site), str(wheel)], check=True)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True)
    made = Driver(site, venv / "bin" / "python", folder / "klamm.tar.gz")
    bare = subprocess.run([made.python, "-P", "-c", "import klamm.tools"], capture_output=True)
    assert bare.returncode, "executors have klamm by themselves, so nothing would be shown"
    made.run("pipeline", "pack", "--level", "1", "--to", str(made.archive))
    return made
