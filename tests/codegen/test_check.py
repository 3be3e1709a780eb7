"""The command on a copy of the repository: what stands, what is planted, what is refused."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from klamm.tools.codegen import __main__ as command
from klamm.tools.codegen.check import output
from klamm.tools.codegen.source import read_schemas

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "schemas", tmp_path / "schemas")
    leave_out = shutil.ignore_patterns("__pycache__")
    generated = ROOT / "protocol" / "generated"
    shutil.copytree(generated, tmp_path / "protocol" / "generated", ignore=leave_out)
    return tmp_path


def said(root: Path, capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    code = command.main(list(arguments), root)
    return code, capsys.readouterr().err


def test_what_is_committed_is_current(capsys: pytest.CaptureFixture[str]) -> None:
    assert said(ROOT, capsys, "--check") == (0, "")


def test_output_is_the_same_every_time() -> None:
    assert output(read_schemas(ROOT)) == output(read_schemas(ROOT))


def _missing(folder: Path) -> str:
    (folder / "metadata_request.py").unlink()
    return "metadata_request.py is missing"


def _extra(folder: Path) -> str:
    (folder / "stray.py").write_text("")
    return "stray.py is no output of the generator"


def _extra_folder(folder: Path) -> str:
    (folder / "old").mkdir()
    (folder / "old" / "note.txt").write_text("")
    return "old/note.txt is no output of the generator"


def _edited(folder: Path) -> str:
    path = folder / "metadata_request.py"
    path.write_text(path.read_text("utf-8") + "\n", "utf-8")
    return "metadata_request.py differs from what its schema gives"


@pytest.mark.parametrize("plant", [_missing, _extra, _extra_folder, _edited])
def test_planted_faults_are_found(
    copy: Path, capsys: pytest.CaptureFixture[str], plant: Callable[[Path], str]
) -> None:
    fault = plant(copy / "protocol" / "generated")
    code, err = said(copy, capsys, "--check")
    assert code == 1
    assert f"protocol/generated/{fault}\n" in err
    assert "run: python -m klamm.tools.codegen" in err


def test_generating_mends_them(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = copy / "protocol" / "generated"
    for plant in (_missing, _extra, _extra_folder):
        plant(folder)
    (folder / "metadata_response.py").write_text("", "utf-8")
    assert said(copy, capsys) == (0, "")
    assert said(copy, capsys, "--check") == (0, "")


def change(path: Path, **changes: object) -> None:
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | changes), "utf-8")


def restate(root: Path, file: str) -> None:
    """Make SOURCE.toml state a file as it is now."""
    path = root / "schemas" / file
    source = root / "schemas" / "SOURCE.toml"
    fresh = f'"{path.name}" = "{hashlib.sha256(path.read_bytes()).hexdigest()}"'
    section = f"[{Path(file).parent}.sha256]"
    head, found, tail = source.read_text("utf-8").partition(section)
    lines = tail.splitlines()
    index = next(i for i, line in enumerate(lines) if line.startswith(f'"{path.name}"'))
    lines[index] = fresh
    source.write_text(head + found + "\n".join(lines) + "\n", "utf-8")


def test_a_schema_that_source_does_not_state(
    copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change(copy / "schemas" / "kafka" / "MetadataRequest.json", about="changed")
    code, err = said(copy, capsys, "--check")
    assert code == 2
    assert "schemas/kafka/MetadataRequest.json" in err


@pytest.mark.parametrize("gone", [True, False])
def test_a_schema_too_many_or_too_few(
    copy: Path, capsys: pytest.CaptureFixture[str], gone: bool
) -> None:
    folder = copy / "schemas" / "kafka"
    if gone:
        (folder / "ProduceRequest.json").unlink()
    else:
        shutil.copy(folder / "ProduceRequest.json", folder / "Produce2Request.json")
    code, err = said(copy, capsys)
    assert code == 2
    assert ("ProduceRequest.json" if gone else "Produce2Request.json") in err


@pytest.mark.parametrize(
    ("file", "changes", "fault"),
    [
        ("klamm/MetadataRequest.json", {"flexibleVersions": "10+"}, "its flexible versions"),
        ("klamm/MetadataRequest.json", {"validVersions": "1-13"}, "versions 0-12 must stay"),
        ("klamm/MetadataRequest.json", {"fields": []}, "must keep its fields"),
        ("klamm/MetadataRequest.json", {"apiKey": 4}, "type and API key must stay"),
        ("klamm/MetadataRequest.json", {"validVersions": "0-14"}, "versions must be 0-14"),
        ("klamm/AlterTopicsRequest.json", {"apiKey": 3}, "belongs to"),
        ("klamm/AlterTopicsRequest.json", {"name": "Other"}, "must be named Other.json"),
    ],
)
def test_schemas_that_do_not_fit_together(
    copy: Path,
    capsys: pytest.CaptureFixture[str],
    file: str,
    changes: dict[str, object],
    fault: str,
) -> None:
    change(copy / "schemas" / file, **changes)
    restate(copy, file)
    code, err = said(copy, capsys)
    assert code == 2
    assert fault in err


def test_a_pair_without_its_response(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = copy / "schemas" / "klamm" / "AlterTopicsResponse.json"
    path.unlink()
    source = copy / "schemas" / "SOURCE.toml"
    kept = [line for line in source.read_text("utf-8").splitlines() if path.name not in line]
    source.write_text("\n".join(kept), "utf-8")
    code, err = said(copy, capsys)
    assert code == 2
    assert "there is no response to this request" in err


def test_a_message_of_unknown_origin(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = copy / "schemas" / "SOURCE.toml"
    lines = source.read_text("utf-8").splitlines()
    kept = [line for line in lines if not line.startswith("ReplicaStatus = ")]
    source.write_text("\n".join(kept), "utf-8")
    code, err = said(copy, capsys)
    assert code == 2
    assert "ReplicaStatusRequest.json: schemas/SOURCE.toml must state the origin" in err
