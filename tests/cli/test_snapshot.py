"""`klamm snapshot`: of files, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from klamm.tools.cli.snapshot import command
from klamm.tools.planner.snapshot import Partition, read

TOPICS = (
    "Topic: foo\tTopicId: dnDmsV9kRJOEbq4lWCoQqw\tPartitionCount: 1\tReplicationFactor: 2\t"
    "Configs: min.insync.replicas=2\n"
    "\tTopic: foo\tPartition: 0\tLeader: 1\tReplicas: 1,2\tIsr: 1,2\n"
)
LOG_DIRS = (
    '{"version":1,"brokers":[{"broker":1,"logDirs":[{"logDir":"/data","error":null,"partitions":'
    '[{"partition":"foo-0","size":4096,"offsetLag":0,"isFuture":false}]}]}]}\n'
)


def snapshot(*words: str) -> Result:
    return CliRunner().invoke(command, [*words])


def test_a_snapshot_of_what_tools_have_written(tmp_path: Path) -> None:
    topics, log_dirs, to = (tmp_path / name for name in ("topics.txt", "dirs.json", "now.json"))
    topics.write_text(TOPICS)
    log_dirs.write_text(LOG_DIRS)
    result = snapshot("--from", str(topics), "--from", str(log_dirs), "--to", str(to))
    assert result.exit_code == 0, result.output
    assert result.stdout == f"{to}: 2 brokers, 1 partition, 8.0 KiB on disks\n"
    assert "not known: racks of brokers" in result.stderr
    (foo,) = read(to).partitions
    assert foo == Partition("foo", 0, (1, 2), leader=1, isr=(1, 2), size_bytes=4096, min_isr=2)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "Give either --bootstrap-server HOST:PORT or --from FILE"),
        (("--from", "{here}", "--watch", "1"), "--watch and --command-config are of"),
        (("--bootstrap-server", "x:1", "--cluster", "y"), "--cluster is of --from"),
        (("--from", "{here}"), "--from"),
    ],
)
def test_what_cannot_be_asked_for(tmp_path: Path, words: tuple[str, ...], message: str) -> None:
    here = tmp_path / "words.txt"
    here.write_text("nothing that any tool writes\n")
    given = [word.format(here=here) for word in words]
    result = snapshot(*given, "--to", str(tmp_path / "now.json"))
    assert result.exit_code == 2, result.output
    assert message in result.stderr


def test_a_cluster_that_is_not_there(tmp_path: Path) -> None:
    file = tmp_path / "client.properties"
    file.write_text("default.api.timeout.ms=200\nrequest.timeout.ms=100\n")
    where = ("--bootstrap-server", "127.0.0.1:1", "--command-config", str(file))
    result = snapshot(*where, "--to", str(tmp_path / "now.json"))
    assert result.exit_code == 1
    assert "127.0.0.1:1" in result.stderr
    assert not (tmp_path / "now.json").exists()
