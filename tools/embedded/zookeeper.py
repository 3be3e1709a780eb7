"""A real ZooKeeper server, started in about a second and gone without a trace."""

import fcntl
import os
import shutil
import socket
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from klamm.tools.embedded.errors import DataInUseError, EmbeddedError, PortInUseError
from klamm.tools.embedded.jars import zookeeper_jars
from klamm.tools.embedded.java import find_java
from klamm.tools.embedded.process import WatchedProcess

HOST = "127.0.0.1"
_START_SECONDS = 60.0
_POLL_SECONDS = 0.01
_ASK_SECONDS = 1.0
_PORT_TRIES = 5
_GRACE_SECONDS = 5.0
_LOG_TAIL = 4000

# One session may live between 0.5 s (so that tests of expiry are quick) and 60 s.
_CONFIG = """\
tickTime=500
minSessionTimeout=500
maxSessionTimeout=60000
dataDir=./data
clientPort={port}
clientPortAddress={host}
maxClientCnxns=0
admin.enableServer=false
4lw.commands.whitelist=*
"""


class EmbeddedZookeeper:
    """A standalone ZooKeeper on 127.0.0.1, as a context manager or by `start` and `stop`.

    It ends with this process, even one that is killed, and may be used from any thread. `start`
    and `stop` block for about half a second, so an async caller runs them in a thread.

    `port` 0 takes a free one. `data_dir` None makes a fresh folder and removes it at the end;
    a folder of your choice is created if missing and kept, with the server's log beside the data.
    `jute_maxbuffer` is the largest request in bytes (ZooKeeper's default: 1,048,575); data written
    under a larger one can only be served again under at least the same. `heap_mib` is the most
    heap that it may take: the znodes of 200,000 partitions fit into 512. Out of memory, it ends.
    """

    def __init__(
        self,
        *,
        port: int = 0,
        data_dir: str | os.PathLike[str] | None = None,
        jute_maxbuffer: int | None = None,
        heap_mib: int = 1024,
    ) -> None:
        self._wanted_port = port
        self._kept_dir = None if data_dir is None else Path(data_dir).absolute()
        self._jute_maxbuffer = jute_maxbuffer
        self._heap_mib = heap_mib
        self._process: WatchedProcess | None = None
        self._log: IO[bytes] | None = None
        self._data_dir: Path | None = None
        self._port = 0

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    @property
    def port(self) -> int:
        """The client port; known while the server runs."""
        self._running()
        return self._port

    @property
    def connect_string(self) -> str:
        """What a client's `zookeeper.connect` takes."""
        return f"{HOST}:{self.port}"

    @property
    def data_dir(self) -> Path:
        """The folder that holds transaction logs, snapshots, zoo.cfg and zookeeper.log."""
        self._running()
        assert self._data_dir is not None
        return self._data_dir

    @property
    def pid(self) -> int:
        """The server's process id."""
        return self._running().pid

    def start(self) -> Self:
        """Start the server and return once it answers requests.

        Raises JavaNotFoundError, JarsNotFoundError, PortInUseError, DataInUseError, or
        EmbeddedError with the end of the server's log. After an error nothing is left behind.
        """
        if self._process is not None:
            raise RuntimeError("this ZooKeeper has been started already")
        java = find_java().path
        class_path = os.pathsep.join(map(str, zookeeper_jars()))
        command = [str(java), *self._java_options(), "-cp", class_path]
        command += ["org.apache.zookeeper.server.quorum.QuorumPeerMain", "zoo.cfg"]
        # Another process can take a free port before the server does: then another one is tried.
        tries = 1 if self._wanted_port else _PORT_TRIES
        while True:
            tries -= 1
            try:
                self._start_once(command)
            except PortInUseError:
                if not tries:
                    raise
            else:
                return self

    def stop(self) -> None:
        """End the server; a fresh data folder goes with it. Harmless when it has gone already."""
        process, self._process = self._process, None
        log, self._log = self._log, None
        try:
            if process is not None:
                process.stop()
        finally:
            if log is not None:
                log.close()

    def wait(self) -> None:
        """Block until the server ends by itself, and raise EmbeddedError with its last words."""
        self._running().wait()
        raise EmbeddedError(f"ZooKeeper on port {self._port} ended{self._last_words()}")

    def _running(self) -> WatchedProcess:
        if self._process is None:
            raise RuntimeError("this ZooKeeper does not run: enter it or call start() first")
        return self._process

    def _java_options(self) -> list[str]:
        options = [f"-Xmx{self._heap_mib}m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
        options.append("-XX:+ExitOnOutOfMemoryError")  # else it lives on without some threads
        options.append("-XX:-UsePerfData")  # or a killed server leaves a file in /tmp/hsperfdata_*
        options.append("-Dzookeeper.preAllocSize=64")  # KB; the default is 64 MB for each log file
        options.append("-Dzookeeper.forceSync=no")  # survives any crash but the machine's
        if self._jute_maxbuffer is not None:
            options.append(f"-Djute.maxbuffer={self._jute_maxbuffer}")
        return options

    def _start_once(self, command: list[str]) -> None:
        self._port = self._wanted_port or _free_port()
        if self._wanted_port:
            _check_free(self._wanted_port)
        folder = self._kept_dir or Path(tempfile.mkdtemp(prefix="klamm-zookeeper-"))
        self._data_dir = folder
        try:
            self._log = _prepare(folder, self._port)
            self._process = WatchedProcess(
                command,
                cwd=folder,
                log=self._log,
                # Java reads and prints file names in the locale's encoding.
                env={**os.environ, "LC_ALL": "C.UTF-8"},
                grace=_GRACE_SECONDS if self._kept_dir else 0.0,
                remove=None if self._kept_dir else folder,
            )
            self._wait_until_serving()
        except BaseException:
            self.stop()
            if self._kept_dir is None and folder.exists():
                shutil.rmtree(folder)  # no process came to be that would have done it
            raise

    def _wait_until_serving(self) -> None:
        """Wait for this server, not for whoever else may answer on the port."""
        process = self._running()
        deadline = time.monotonic() + _START_SECONDS
        while process.poll() is None:
            # `ruok` says yes about 0.1 s before the data is loaded; `srvr` does not.
            if "Mode: standalone" in _ask(self._port, "srvr"):
                served = _served_folder(self._port)
                if served == os.path.realpath(self.data_dir / "data"):
                    return
                if served:
                    raise PortInUseError(_in_use(self._port))
            if time.monotonic() > deadline:
                raise EmbeddedError(
                    f"ZooKeeper did not serve within {_START_SECONDS:g} s{self._last_words()}"
                )
            time.sleep(_POLL_SECONDS)
        if "BindException" in self._last_words():
            raise PortInUseError(_in_use(self._port))
        raise EmbeddedError(f"ZooKeeper ended while starting{self._last_words()}")

    def _last_words(self) -> str:
        """Return the end of the server's log, ready to follow a message."""
        assert self._log is not None
        size = os.fstat(self._log.fileno()).st_size
        tail = os.pread(self._log.fileno(), _LOG_TAIL, max(0, size - _LOG_TAIL))
        text = tail.decode(errors="replace").strip()
        return f"; its log ends:\n{text}" if text else "; its log is empty"


def _prepare(folder: Path, port: int) -> IO[bytes]:
    """Make the folder ready for a server and return its log, empty.

    The log is locked for as long as anybody holds it open. The server inherits it as its output,
    so nobody else gets the data before it has gone, even if this process dies first.
    """
    log: IO[bytes] | None = None
    try:
        folder.mkdir(parents=True, exist_ok=True)
        log = (folder / "zookeeper.log").open("ab+", buffering=0)
        fcntl.flock(log, fcntl.LOCK_EX | fcntl.LOCK_NB)
        log.truncate(0)
        (folder / "zoo.cfg").write_text(_CONFIG.format(port=port, host=HOST))
    except OSError as error:
        if log is not None:
            log.close()
        if isinstance(error, BlockingIOError):
            raise DataInUseError(f"another ZooKeeper uses the data in {folder}") from error
        raise EmbeddedError(f"the data folder {folder} is of no use: {error}") from error
    return log


def _free_port() -> int:
    with socket.create_server((HOST, 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


def _check_free(port: int) -> None:
    try:
        socket.create_server((HOST, port)).close()  # sets SO_REUSEADDR, as ZooKeeper does
    except OSError as error:
        raise PortInUseError(_in_use(port)) from error


def _in_use(port: int) -> str:
    return f"port {port} of {HOST} is in use; choose another, or 0 for any free one"


def _served_folder(port: int) -> str:
    """Return the data folder of the ZooKeeper that answers on this port, "" if none says so."""
    settings = dict(line.partition("=")[::2] for line in _ask(port, "conf").splitlines())
    folder = settings.get("dataDir", "")  # ZooKeeper names the folder version-2 inside it
    return os.path.dirname(os.path.realpath(folder)) if folder else ""


def _ask(port: int, word: str) -> str:
    """Send one of ZooKeeper's four-letter words; return "" when nobody answers yet."""
    try:
        with socket.create_connection((HOST, port), timeout=_ASK_SECONDS) as connection:
            connection.sendall(word.encode())
            chunks = iter(lambda: connection.recv(65536), b"")
            return b"".join(chunks).decode(errors="replace")
    except OSError:
        return ""
