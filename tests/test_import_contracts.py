"""The import contracts of pyproject.toml hold, and each of them can break."""

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("protocol", "controller", "tools")
THROUGH_STORE = "no I/O by way of the store"

#: Contract, and a module with an import that break it.
VIOLATIONS = [
    ("one way", "protocol/framing.py", "import klamm.controller.core"),
    ("inside controller", "controller/core/plan.py", "import klamm.controller.handlers"),
    ("no I/O", "controller/node/places.py", "import time"),
    ("no I/O", "controller/store/settle.py", "import subprocess"),
    (THROUGH_STORE, "controller/node/places.py", "import klamm.controller.store.zookeeper"),
    (THROUGH_STORE, "controller/store/settle.py", "import klamm.controller.store.zookeeper"),
    (THROUGH_STORE, "protocol/framing.py", "import klamm.controller.store.zookeeper"),
    ("core knows no wire", "controller/core/plan.py", "import klamm.protocol.errors"),
    ("one file knows kazoo", "controller/runtime/driver.py", "import kazoo.client"),
    ("only runtime knows trio", "controller/node/places.py", "import trio"),
    (
        "the generator never imports its output",
        "tools/codegen/parse.py",
        "import klamm.protocol.generated",
    ),
    ("tools are layers", "tools/codegen/parse.py", "import klamm.tools.embedded"),
]


def contract_names() -> list[str]:
    config = tomllib.loads((ROOT / "pyproject.toml").read_text())
    return [contract["name"] for contract in config["tool"]["importlinter"]["contracts"]]


def lint_imports(tree: Path) -> subprocess.CompletedProcess[str]:
    """Run import-linter over a tree that holds the folders below `klamm/`."""
    return subprocess.run(
        [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": str(tree), "PYTHONSAFEPATH": "1", "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for folder in FOLDERS:
        shutil.copytree(
            ROOT / folder,
            tmp_path / "klamm" / folder,
            ignore=shutil.ignore_patterns("__pycache__"),
        )
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def test_every_contract_is_kept(tree: Path) -> None:
    result = lint_imports(tree)
    assert result.returncode == 0, result.stdout + result.stderr
    assert f"Contracts: {len(contract_names())} kept, 0 broken." in result.stdout


def test_every_contract_has_a_planted_violation() -> None:
    assert {contract for contract, _, _ in VIOLATIONS} == set(contract_names())


@pytest.mark.parametrize(("contract", "module", "statement"), VIOLATIONS)
def test_a_planted_import_breaks_the_contract(
    contract: str, module: str, statement: str, tree: Path
) -> None:
    path = tree / "klamm" / module
    path.write_text(path.read_text() + f"\n{statement}\n")
    result = lint_imports(tree)
    assert result.returncode == 1, result.stdout + result.stderr
    assert f"{contract} BROKEN" in result.stdout
