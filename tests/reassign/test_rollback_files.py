"""The file with the way back: its name, and that nothing is lost or overwritten."""

import io
from datetime import UTC, datetime
from pathlib import Path

import pytest

from klamm.tools.admin import TopicPartition
from klamm.tools.reassign import plan_files, rollback
from klamm.tools.reassign.described import Assignment
from klamm.tools.reassign.output import CommandError, Output
from klamm.tools.reassign.rollback import Place

NOW = datetime(2024, 1, 31, 23, 59, 59, 999, tzinfo=UTC)
CURRENT: Assignment = {TopicPartition("t", 0): (2, 1)}


class Terminal(io.StringIO):
    """A stream that people read."""

    def isatty(self) -> bool:
        return True


def save(place: Place, err: io.StringIO | None = None) -> str:
    """Save; return what was said, and make sure that nothing was on standard output."""
    out, said = io.StringIO(), err or io.StringIO()
    rollback.save(CURRENT, place, NOW, Output(out, said))
    assert out.getvalue() == ""
    return said.getvalue()


def plan(folder: Path) -> Path:
    file = folder / "plan.json"
    file.write_text("{}")
    return file


def test_each_run_has_a_file_of_its_own_beside_the_plan(tmp_path: Path) -> None:
    place = Place(plan(tmp_path))
    assert [save(place) for _ in range(3)] == ["", "", ""]
    names = {file.name for file in tmp_path.iterdir()}
    stem = "plan.rollback-20240131T235959Z"
    assert names == {"plan.json", f"{stem}.json", f"{stem}-2.json", f"{stem}-3.json"}
    for file in tmp_path.glob("*rollback*"):
        assert plan_files.parse_plan(file.read_text()).targets == CURRENT


def test_people_are_told_where_and_scripts_are_not(tmp_path: Path) -> None:
    said = save(Place(plan(tmp_path)), Terminal())
    file = tmp_path / "plan.rollback-20240131T235959Z.json"
    assert said == f"Saved the rollback plan to {file}\n"


def test_a_file_that_was_named(tmp_path: Path) -> None:
    file = tmp_path / "back.json"
    save(Place(plan(tmp_path), file))
    assert plan_files.parse_plan(file.read_text()).targets == CURRENT
    file.write_text("mine")
    with pytest.raises(CommandError, match=r"back\.json is there already; name another file"):
        save(Place(tmp_path / "plan.json", file))
    assert file.read_text() == "mine"
    with pytest.raises(CommandError, match=r"cannot be written: No such file or directory"):
        save(Place(tmp_path / "plan.json", tmp_path / "nowhere" / "back.json"))


def test_a_plan_that_is_no_file_has_nothing_beside_it(tmp_path: Path) -> None:
    before = {*tmp_path.iterdir()}
    said = save(Place(tmp_path / "stdin"))
    assert said == (
        f"The rollback plan is not saved (the plan is no file: {tmp_path}); give --rollback-file"
        " FILE, or keep what is printed.\n"
    )
    assert {*tmp_path.iterdir()} == before


def test_what_a_link_leads_to_is_the_plan(tmp_path: Path) -> None:
    """As in: --reassignment-json-file /dev/stdin < plan.json."""
    folder = tmp_path / "dev"
    folder.mkdir()
    link = folder / "stdin"
    link.symlink_to(plan(tmp_path))
    assert save(Place(link)) == ""
    assert [*folder.iterdir()] == [link]
    assert len([*tmp_path.glob("plan.rollback-*.json")]) == 1
