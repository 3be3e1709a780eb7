import io
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from klamm.tools.pipeline import pack


def _archive(path: Path, name: str, data: bytes) -> Path:
    with tarfile.open(path, "w:gz") as archive:
        entry = tarfile.TarInfo(name)
        entry.size = len(data)
        archive.addfile(entry, io.BytesIO(data))
    return path


def _small(path: Path) -> pack.Packed:
    return pack.pack(path, distributions=pack.needed("trio", frozenset()))


def test_an_archive_has_the_same_bytes_each_time(tmp_path: Path) -> None:
    first, second = _small(tmp_path / "a.tar.gz"), _small(tmp_path / "b.tar.gz")
    assert first.path.read_bytes() == second.path.read_bytes()
    assert sorted(tmp_path.iterdir()) == [first.path, second.path]
    pack.check(first.path)


def test_an_archive_holds_this_package_and_what_it_needs(tmp_path: Path) -> None:
    made = _small(tmp_path / "a.tar.gz")
    with tarfile.open(made.path) as archive:
        names = set(archive.getnames())
    assert {"klamm/tools/lab/run.py", "klamm/protocol/py.typed", "outcome/__init__.py"} <= names
    assert not [name for name in names if name.endswith(".pyc") or name.startswith("tests")]
    assert {"outcome", "sortedcontainers", "attrs"} <= made.manifest.distributions.keys()
    assert made.manifest.python == f"{sys.version_info.major}.{sys.version_info.minor}"
    assert made.size == made.path.stat().st_size


def test_what_executors_have_is_left_out_with_all_that_only_it_needs() -> None:
    names = {each.metadata["Name"].lower() for each in pack.needed()}
    assert {"pyarrow", "pandas", "msgspec", "ortools"} <= names
    assert not names & {"pyspark", "py4j", "plotly", "narwhals", "klamm", "pytest"}


def test_what_is_not_installed_cannot_be_packed() -> None:
    with pytest.raises(pack.PackError, match="no-such-thing is not installed here"):
        pack.needed("no-such-thing")


def test_the_zip_is_imported_by_a_python_that_has_nothing_else(tmp_path: Path) -> None:
    made = pack.zip_code(tmp_path / "klamm.zip")
    assert made.read_bytes() == pack.zip_code(tmp_path / "again.zip").read_bytes()
    code = (
        f"import sys; sys.path.insert(0, {str(made)!r}); import klamm.protocol.error_codes as it;"
        "from importlib.metadata import version; print(it.__file__, version('klamm'))"
    )
    # Neither site-packages nor the folder it is started in are on its path.
    command = [sys.executable, "-I", "-S", "-c", code]
    found = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert found[0] == f"{made}/klamm/protocol/error_codes.py"
    assert found[1] == pack.revision().partition("+")[0]


def test_the_revision_is_that_of_all_modules() -> None:
    assert len(pack.code_digest()) == 12
    assert "klamm/tools/pipeline/pack.py" in pack.code_files()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"python": "2.7"}, r"was made for Python 2\.7, and this is Python 3.*pipeline pack --to"),
        ({"code": "0.0.1+aaaa"}, r"was made for klamm 0\.0\.1\+aaaa, and this is klamm 0"),
    ],
)
def test_an_archive_that_does_not_fit_is_refused(
    tmp_path: Path, change: dict[str, str], message: str
) -> None:
    here = {"python": pack.PYTHON, "platform": "linux", "code": pack.revision()}
    text = "".join(f'"{key}": "{value}",' for key, value in {**here, **change}.items())
    data = f'{{{text} "distributions": {{}}}}'.encode()
    archive = _archive(tmp_path / "a.tar.gz", "klamm-pack.json", data)
    with pytest.raises(pack.PackError, match=message):
        pack.check(archive)


def test_what_is_no_archive_is_refused(tmp_path: Path) -> None:
    with pytest.raises(pack.PackError, match=r"there is no file .*make it: klamm pipeline pack"):
        pack.check(tmp_path / "missing.tar.gz")
    text = tmp_path / "text.tar.gz"
    text.write_text("no archive")
    with pytest.raises(pack.PackError, match="cannot be read"):
        pack.check(text)
    with pytest.raises(pack.PackError, match="is not an archive of `klamm pipeline pack`"):
        pack.check(_archive(tmp_path / "other.tar.gz", "other.json", b"{}"))
