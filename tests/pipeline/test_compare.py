"""Compare: where histories part, and which differences between sets of runs are sure."""

import json
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner
from pipeline.comparing import event, put_runs
from pipeline.drifting import put

from klamm.tools.cli._pipeline_compare import command
from klamm.tools.pipeline.history.compare import Difference, holm, sign_test
from klamm.tools.pipeline.history.percentiles import percentile
from klamm.tools.pipeline.jobs.compare import histories_plain
from klamm.tools.pipeline.jobs.compare_runs import runs_plain
from klamm.tools.pipeline.lake import Lake
from klamm.tools.pipeline.tables import EVENTS


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    lake = Lake(tmp_path)
    kip, code = "by-the-kip", "as-released"
    rows = [
        # The same brokers in another order on the way: D3.
        event(kip, 1, 0, "accept", [1, 4, 3, 2]),
        event(code, 9, 0, "accept", [4, 3, 2, 1]),
        # What brokers did in between, and when, does not count.
        event(kip, 2, 1, "accept"),
        event(kip, 3, 1, "isr-join"),
        event(kip, 4, 1, "end"),
        event(code, 10, 1, "accept"),
        event(code, 30, 1, "end"),
        # One carries out an entry that the other has dropped.
        event(kip, 5, 2, "accept"),
        event(kip, 6, 2, "entry-resumed"),
        event(code, 11, 2, "accept"),
        # One has another end, which no row names.
        event(kip, 7, 3, "end", [1, 2]),
        event(code, 12, 3, "end", [1, 3]),
    ]
    put(lake, EVENTS, rows)
    return lake


def test_the_first_decision_that_differs_is_told_with_its_evidence(lake: Lake) -> None:
    found = histories_plain(lake, "by-the-kip", "as-released")
    assert [(row["partition"], row["agreed"], row["named"]) for row in found.shown] == [
        (0, 0, "D3"),
        (2, 1, "D5"),
        (3, 0, None),
    ]
    first = found.shown[0]
    assert (first["first"], first["second"]) == ("accept [1, 4, 3, 2]", "accept [4, 3, 2, 1]")
    assert first["second_at"] == {"source": "as-released.jsonl", "line": 9}
    assert found.shown[1]["second"] is None
    assert found.named == {"": 1, "D3": 1, "D5": 1}
    assert found.decisions["accept"] == (3, 3)
    assert "isr-join" not in found.decisions


def test_a_history_is_the_same_as_itself(lake: Lake) -> None:
    assert histories_plain(lake, "by-the-kip", "by-the-kip").differ == 0


def test_a_cluster_that_is_not_there_is_named(lake: Lake) -> None:
    result = CliRunner().invoke(command, [str(lake.root), "by-the-kip", "nobody", "--plain"])
    assert result.exit_code == 2
    assert "'nobody'; there are: as-released, by-the-kip" in result.output


def test_the_sign_test_is_exact_for_few_and_close_for_many() -> None:
    assert sign_test(0, 0) == 1.0
    assert sign_test(5, 5) == 1.0
    assert sign_test(0, 5) == 2 / 32
    assert sign_test(1, 5) == 14 / 64
    # Around the border of the two ways to work it out.
    assert sign_test(460, 540) == pytest.approx(sign_test(461, 541), rel=0.02)
    assert sign_test(0, 10**6) == 0.0


def test_percentiles_lie_between_neighbours() -> None:
    assert percentile([1.0, 2.0, 3.0, 4.0], 0.5) == 2.5
    assert percentile([1.0], 0.99) == 1.0
    assert percentile([0.0, 10.0], 0.25) == 2.5


def test_of_several_metrics_only_the_sure_are_sure() -> None:
    def of(p: float) -> Difference:
        return Difference("m", 9, (1.0,) * 6, (1.0,) * 6, 0.0, 1, 1, p)

    # Alone each of them would be below 5%.
    assert [each.sure for each in holm([of(0.04), of(0.01), of(0.03)])] == [False, True, False]
    assert [each.sure for each in holm([of(0.04)])] == [True]


def test_pairs_have_the_same_seed_and_what_differs_is_told(tmp_path: Path) -> None:
    lake = Lake(tmp_path)
    put_runs(lake, Random(1), 80)
    found = runs_plain(lake, "pacing", "batch-20", "batch-50")
    assert (found.pairs, found.alone) == (79, (1, 0))
    by_name = {each.metric: each for each in found.metrics}
    assert by_name.keys() == {"finish_s", "max_urp", "bytes_moved"}
    finish = by_name["finish_s"]
    assert (finish.less, finish.more, finish.sure) == (0, 79, True)
    assert finish.median is not None
    assert 1 <= finish.median <= 50
    assert not by_name["bytes_moved"].sure
    assert by_name["max_urp"].pairs < 79
    assert sum(found.verdicts.values()) == 79
    differ = sum(count for pair, count in found.verdicts.items() if pair[0] != pair[1])
    assert [row["seed"] for row in found.shown] == sorted(row["seed"] for row in found.shown)
    assert len(found.shown) == differ > 0


def test_the_command_tells_of_runs_and_writes_a_page(tmp_path: Path) -> None:
    put_runs(Lake(tmp_path / "lake"), Random(1), 30)
    arguments = [str(tmp_path / "lake"), "batch-20", "batch-50", "--runs", "pacing", "--plain"]
    result = CliRunner().invoke(command, [*arguments, "--report", str(tmp_path / "page.html")])
    assert result.exit_code == 0
    assert "With batch-50 instead of batch-20: finish_s is more." in result.stdout
    assert "With batch-50 instead of batch-20" in (tmp_path / "page.html").read_text()
    told = json.loads(CliRunner().invoke(command, [*arguments, "--json"]).stdout)
    assert told["pairs"] == 29
    refused = CliRunner().invoke(command, [*arguments[:4], "colour", "--plain"])
    assert refused.exit_code == 2
    assert "--runs colour: it is one of profile, scope" in refused.output


def test_the_command_tells_of_histories(lake: Lake) -> None:
    arguments = [str(lake.root), "by-the-kip", "as-released", "--plain"]
    result = CliRunner().invoke(command, arguments)
    assert result.exit_code == 0
    assert "t-0 after 0: accept [1, 4, 3, 2] | accept [4, 3, 2, 1] (D3)" in result.stdout
    assert "decided differently about 3 partitions" in result.stdout
