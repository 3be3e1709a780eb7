"""The whole output in memory, and what is wrong with the files beside it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from klamm.tools.codegen.emit import emit_index, emit_module, module_name
from klamm.tools.codegen.spec import MessageSpec


def output(specs: Mapping[str, MessageSpec]) -> dict[str, str]:
    """Give the text of every file of the generated package by its name."""
    files = {f"{module_name(spec)}.py": emit_module(spec) for spec in specs.values()}
    files["__init__.py"] = emit_index(specs)
    return files


def faults(files: Mapping[str, str], folder: Path) -> list[str]:
    """Compare the folder with what it should hold: names and every byte; a line per fault."""
    present = {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    found = [f"{name} is missing" for name in sorted(files.keys() - present)]
    found += [f"{name} is no output of the generator" for name in sorted(present - files.keys())]
    found += [
        f"{name} differs from what its schema gives"
        for name in sorted(files.keys() & present)
        if (folder / name).read_bytes() != files[name].encode()
    ]
    return found


def write(files: Mapping[str, str], folder: Path) -> None:
    """Make the folder hold exactly these files, each one replaced in a single step."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        path = folder / name
        if not path.exists() or path.read_bytes() != text.encode():
            fresh = path.with_suffix(".new")
            fresh.write_text(text, "utf-8")
            fresh.replace(path)
    for path in sorted(folder.rglob("*"), reverse=True):  # what is in a folder before the folder
        if "__pycache__" in path.parts:
            continue
        if path.is_dir():
            if not any(path.iterdir()):
                path.rmdir()
        elif path.relative_to(folder).as_posix() not in files:
            path.unlink()
