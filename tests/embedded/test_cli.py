import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from processes import has_ended, wait_until

from klamm.tools.cli.main import main

KLAMM = [sys.executable, "-P", "-c", "from klamm.tools.cli.main import main; main()"]


@pytest.fixture
def running() -> Iterator[tuple[subprocess.Popen[str], list[str], int]]:
    """Yield `klamm zookeeper` once it serves, what it said, and the server's process id."""
    command = [*KLAMM, "zookeeper", "--port", "0"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(4)]
        match = re.search(r"process (\d+)", lines[0])
        assert match, lines
        yield process, lines, int(match[1])
        process.kill()


Running = tuple[subprocess.Popen[str], list[str], int]


def test_it_says_where_it_serves_and_ends_on_ctrl_c(running: Running) -> None:
    process, lines, server = running
    match = re.match(r"ZooKeeper serves on (127\.0\.0\.1:(\d+)) ", lines[0])
    assert match
    socket.create_connection(("127.0.0.1", int(match[2]))).close()
    assert re.search(r"data +/.*, removed at the end; --data-dir DIR keeps it", lines[1])
    assert f"zookeeper.connect={match[1]}\n" in lines[2]
    assert "Ctrl-C" in lines[3]
    # A terminal's Ctrl-C goes to the whole group.
    os.killpg(process.pid, signal.SIGINT)
    assert process.communicate(timeout=20) == ("ZooKeeper stopped\n", "")
    assert process.returncode == 0
    assert has_ended(server)


def test_sigterm_ends_it_like_ctrl_c(running: Running) -> None:
    process, _, server = running
    process.terminate()
    assert process.communicate(timeout=20) == ("ZooKeeper stopped\n", "")
    assert process.returncode == 0
    assert has_ended(server)


def test_a_server_that_dies_is_reported(running: Running) -> None:
    process, _, server = running
    os.kill(server, signal.SIGKILL)
    _, errors = process.communicate(timeout=20)
    assert re.match(r"Error: ZooKeeper on port \d+ ended", errors)
    assert process.returncode == 1


def test_killed_it_takes_the_server_along(running: Running) -> None:
    process, _, server = running
    process.kill()
    wait_until(lambda: has_ended(server), "the server ends with the command")


def test_a_busy_port_is_said_in_one_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        result = CliRunner().invoke(main, ["zookeeper", "--port", str(port)])
    assert result.exit_code == 1
    assert result.output == (
        f"Error: port {port} of 127.0.0.1 is in use; choose another, or 0 for any free one\n"
    )


def test_it_has_a_default_port_and_a_place_in_the_help(tmp_path: Path) -> None:
    assert "zookeeper" in CliRunner().invoke(main, ["--help"]).output
    text = CliRunner().invoke(main, ["zookeeper", "--help"]).output
    assert "[default: 2181" in text
    assert "--data-dir" in text
    assert "--jute-maxbuffer" in text
