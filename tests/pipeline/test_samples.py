"""Samples: journals that are journals, faults where the labels say, the same from the same seed."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

from klamm.controller.node.forms import Line, PartitionForm
from klamm.controller.node.lines import decode
from klamm.tools.cli._pipeline_samples import command
from klamm.tools.cli.pipeline import command as pipeline
from klamm.tools.pipeline.lake import Lake
from klamm.tools.pipeline.samples.cluster import SIZES, Size, cluster, grown
from klamm.tools.pipeline.samples.faults import FAULTS, GARBLED
from klamm.tools.pipeline.samples.writing import write
from klamm.tools.pipeline.tables import QUARANTINE, VERDICTS
from klamm.tools.planner import snapshot

SIZE = Size(brokers=9, racks=3, partitions=80, events=3_000, days=2)
#: What the model must not do where nothing is planted.
LIES = {name for name, fault in FAULTS.items() if fault.rule} | {"ends-twice", "gap"}


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("samples") / "sample"
    write(folder, 7, SIZE, rotate_bytes=400_000)
    return folder


def labels(sample: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((sample / "labels.json").read_text())
    return found


def journals(sample: Path) -> Iterator[tuple[str, int, bytes]]:
    """Every line, by node and in its order: the highest number is the oldest file."""

    def age(file: Path) -> tuple[str, int]:
        name, _, number = file.name.partition(".jsonl")
        return name, -int(number.removeprefix(".") or 0)

    for file in sorted((sample / "journals").iterdir(), key=age):
        for number, line in enumerate(file.read_bytes().splitlines(), 1):
            yield f"journals/{file.name}", number, line


def test_all_lines_but_the_garbled_are_of_the_journals_form(sample: Path) -> None:
    garbled = {
        (each["file"], each["line"])
        for each in labels(sample)["planted"]
        if each["fault"] in GARBLED
    }
    refused = set()
    for file, number, line in journals(sample):
        try:
            decode(line)
        except msgspec.DecodeError:
            refused.add((file, number))
    assert refused == garbled
    assert len(garbled) == len(GARBLED)


def test_journals_are_rotated_and_whole(sample: Path) -> None:
    names = {file for file, _, _ in journals(sample)}
    assert any(name.endswith(".jsonl.1") for name in names)
    assert not list((sample / "journals").glob(".*"))
    assert sum(1 for _ in journals(sample)) == labels(sample)["lines"] >= SIZE.events


def test_every_fault_is_where_its_label_says(sample: Path) -> None:
    lines = {(file, number): line for file, number, line in journals(sample)}
    planted = {each["fault"]: each for each in labels(sample)["planted"]}
    assert planted.keys() == FAULTS.keys()
    told = {}
    for name, label in planted.items():
        line = lines[label["file"], label["line"]]
        if name not in GARBLED:
            told[name] = entry = decode(line)
            assert (entry.seq, entry.node) == (label["seq"], label["node"])
            if label["topic"] and name != "throttle-left":
                assert (entry.topic, entry.partition) == (label["topic"], label["partition"])
    after = {name: entry.after for name, entry in told.items() if entry.after}
    before = {name: entry.before for name, entry in told.items() if entry.before}
    assert after["epoch-falls"].leader_epoch < before["epoch-falls"].leader_epoch
    assert after["leader-not-in-sync"].leader not in after["leader-not-in-sync"].isr
    assert after["nobody-in-sync"].isr == ()
    assert set(after["adding-and-removing"].adding) & set(after["adding-and-removing"].removing)
    assert after["other-order"].replicas != before["other-order"].replicas[:3]
    assert told["two-controllers"].epoch == labels(sample)["offices"] - 1
    assert after["stuck"].adding
    assert told["lines-lost"].lost == 7


def test_nothing_else_is_wrong(sample: Path) -> None:
    """Follow every partition, and the numbers of every node, through lines without labels."""
    known = {
        (each["node"], each["seq"]) for each in labels(sample)["planted"] if each["fault"] in LIES
    }
    planted = {(each["topic"], each["partition"]) for each in labels(sample)["planted"]}
    sequences: Counter[int] = Counter()
    lines: list[Line] = []
    for _, _, text in journals(sample):
        try:
            line = decode(text)
        except msgspec.DecodeError:
            continue
        if (line.node, line.seq) not in known:
            assert line.seq == sequences[line.node] + 1, line
        sequences[line.node] = line.seq + (line.lost or 1) - 1
        lines.append(line)
    states: dict[tuple[str, int], PartitionForm] = {}
    moving, results = set(), Counter[str]()
    for line in sorted(lines, key=lambda each: (each.epoch, each.wall_ms, each.seq)):
        if line.topic is None or line.partition is None or line.after is None:
            continue
        name = (line.topic, line.partition)
        if name in planted:
            continue
        assert line.before is not None
        assert states.get(name, line.before) == line.before, line
        assert_sound(line.before, line.after, line.kind)
        states[name] = line.after
        if line.kind in ("accept", "supersede"):
            assert (line.kind == "supersede") == (name in moving)
            moving.add(name)
        elif line.kind in ("end", "cancel"):
            moving.remove(name)
            assert not line.after.adding
            assert not line.after.removing
        if line.kind in ("end", "cancel", "supersede"):
            results[{"end": "done", "cancel": "cancelled"}.get(line.kind, "superseded")] += 1
    assert not moving
    assert results == labels(sample)["moves"]


def assert_sound(before: PartitionForm, after: PartitionForm, kind: str) -> None:
    assert after.version == before.version + 1
    assert after.leader_epoch == before.leader_epoch + (
        kind not in ("isr-join",) and not (kind == "isr-shrink" and before.leader == -1)
    )
    assert after.isr
    assert set(after.isr) <= set(after.replicas)
    assert after.leader == -1 or after.leader in after.isr
    assert {*after.adding, *after.removing} <= set(after.replicas)
    assert not {*after.adding} & {*after.removing}


def test_the_same_seed_gives_the_same_files_and_another_does_not(tmp_path: Path) -> None:
    def digest(name: str, seed: int) -> str:
        write(tmp_path / name, seed, SIZES["small"])
        files = sorted(each for each in (tmp_path / name).rglob("*") if each.is_file())
        return hashlib.sha256(b"".join(each.read_bytes() for each in files)).hexdigest()

    assert digest("one", 3) == digest("again", 3)
    assert digest("one more", 4) != digest("one and more", 3)


def test_texts_of_a_day_are_as_old_as_the_day(sample: Path) -> None:
    snapshots = snapshot.read(sample / "snapshot.json")
    assert snapshots == cluster(7, SIZE)
    days = sorted((sample / "days").iterdir())
    assert [each.name for each in days] == ["2026-01-05", "2026-01-06"]
    times = [(each / "topics.txt").stat().st_mtime * 1000 for each in days]
    assert times == [grown(snapshots, 7, day).taken_ms for day in range(2)]


def test_a_cluster_has_racks_a_broker_that_is_gone_and_large_and_small_topics() -> None:
    found = cluster(1, SIZES["medium"])
    assert [each.id for each in found.brokers if not each.alive] == [24]
    assert len({each.rack for each in found.brokers}) == 4
    assert {len(each.replicas) for each in found.partitions} == {1, 2, 3, 4}
    sizes = [each.size_bytes for each in found.partitions]
    assert max(sizes) > 100 * min(sizes)
    for each in found.partitions:
        assert each.leader == -1 or each.leader in each.isr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--brokers", "2"], "2 brokers: a sample has at least 5"),
        (["--partitions", "1"], "1 partitions: a sample has at least 40"),
        (["--days", "-1"], "-1 days"),
    ],
)
def test_a_sample_that_cannot_be_is_refused(
    tmp_path: Path, arguments: list[str], said: str
) -> None:
    result = CliRunner().invoke(command, ["--to", str(tmp_path / "new"), *arguments])
    assert result.exit_code == 2
    assert said in result.output


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    result = CliRunner().invoke(command, ["--to", str(tmp_path)])
    assert result.exit_code == 2
    assert "is not empty: name another folder" in result.output
    assert [each.name for each in tmp_path.iterdir()] == ["mine"]


def test_the_committed_sample_is_what_is_written_now(tmp_path: Path) -> None:
    committed = Path(__file__).parent / "samples" / "small"
    small = SIZES["small"]
    write(tmp_path / "new", 1, Size(small.brokers, small.racks, 40, 400, 3))
    texts = [
        {
            str(each.relative_to(root)): each.read_text()
            for each in root.rglob("*")
            if each.is_file()
        }
        for root in (committed, tmp_path / "new")
    ]
    assert texts[0] == texts[1]


def test_check_finds_what_is_planted_and_nothing_else(sample: Path, tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    arguments = ["ingest", str(sample / "journals"), "--to", str(lake), "--cluster", "s", "--plain"]
    taken = CliRunner().invoke(pipeline, arguments)
    assert taken.exit_code == 0, taken.output
    assert CliRunner().invoke(pipeline, ["check", str(lake), "--plain"]).exit_code == 1
    verdicts = Lake(lake).read_plain(VERDICTS).to_pylist()
    # Who was in office when can be judged by ZooKeeper's history alone.
    wanted = {
        (each["rule"], each["topic"], each["partition"])
        for each in labels(sample)["planted"]
        if each["rule"] not in (None, "I1")
    }
    broken = [each for each in verdicts if each["verdict"] == "broken"]
    assert {(each["rule"], each["topic"], each["partition"]) for each in broken} == wanted
    assert {each["line"] for each in Lake(lake).read_plain(QUARANTINE).to_pylist()} == {
        each["line"] for each in labels(sample)["planted"] if each["fault"] in GARBLED
    }
