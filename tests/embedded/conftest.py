"""A Java of any version, for tests that look for one."""

from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture
def fake_java(tmp_path: Path) -> Callable[[str], Path]:
    """Return a maker of launchers that run a line of shell; it gives the folder that has `java`."""

    def make(line: str) -> Path:
        folder = tmp_path / f"java-{len(list(tmp_path.iterdir()))}" / "bin"
        folder.mkdir(parents=True)
        launcher = folder / "java"
        launcher.write_text(f"#!/bin/sh\n{line}\n")
        launcher.chmod(0o755)
        return folder

    return make
