"""What is installed: `klamm` alone, with every package and module of the folders."""

import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("protocol", "controller", "tools")


def test_every_package_folder_is_listed() -> None:
    config = tomllib.loads((ROOT / "pyproject.toml").read_text())
    found = {
        "klamm." + ".".join(init.parent.relative_to(ROOT).parts)
        for folder in FOLDERS
        for init in (ROOT / folder).rglob("__init__.py")
    }
    assert sorted(config["tool"]["setuptools"]["packages"]) == sorted(found)


def test_every_folder_with_modules_is_a_package() -> None:
    bare = {
        str(module.parent.relative_to(ROOT))
        for folder in FOLDERS
        for module in (ROOT / folder).rglob("*.py")
        if not (module.parent / "__init__.py").exists()
    }
    assert not bare


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """Build the wheel from a copy, so that no build folder is left in the tree."""
    source = tmp_path_factory.mktemp("source")
    target = tmp_path_factory.mktemp("wheel")
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in filter(None, listed.stdout.split("\0")):
        path = ROOT / name
        if path.is_file() and not path.is_symlink():
            copy = source / name
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(path.read_bytes())
    build = [sys.executable, "-P", "-m", "pip", "wheel", "--quiet", "--no-deps"]
    subprocess.run(
        [*build, "--no-build-isolation", "--wheel-dir", str(target), str(source)], check=True
    )
    (built,) = target.glob("klamm-*.whl")
    return zipfile.ZipFile(built)


def test_the_wheel_holds_every_module(wheel: zipfile.ZipFile) -> None:
    modules = {
        f"klamm/{module.relative_to(ROOT)}"
        for folder in FOLDERS
        for module in (ROOT / folder).rglob("*.py")
    }
    # Setuptools takes whole packages, so the script of a checkout, where it has nothing to set up,
    # is among them.
    assert "klamm/tools/dev.py" in modules
    assert {name for name in wheel.namelist() if name.endswith(".py")} == modules


def test_the_wheel_installs_no_other_top_level_name(wheel: zipfile.ZipFile) -> None:
    top = {name.partition("/")[0] for name in wheel.namelist()}
    assert {name for name in top if not name.endswith(".dist-info")} == {"klamm"}


def test_every_package_is_typed(wheel: zipfile.ZipFile) -> None:
    for folder in FOLDERS:
        assert f"klamm/{folder}/py.typed" in wheel.namelist()
