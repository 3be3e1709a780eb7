"""Bugs of the kind that is made, planted in a copy of the controller: the lab finds each soon.

They are none of the catalogue's, and nothing in the lab was made for one of them alone.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

import klamm.controller
import klamm.protocol
import klamm.tools


@dataclass(frozen=True, slots=True)
class Bug:
    """A text of one file of the controller with another in its place.

    A run over `scope` finds it within so many `seeds`. What it is seen by depends on the seed.
    """

    file: str
    text: str
    instead: str
    scope: str
    seeds: int


BUGS = {
    "a leader that stays keeps its epoch": Bug(
        "core/draft.py",
        "before.leader_epoch + 1,",
        "before.leader_epoch + (leader != before.leader),",
        "failover",
        10,
    ),
    "clients are answered when a write is sent": Bug(
        "node/incumbency.py",
        "            node.do(turns.send(commit))\n",
        "            node.do(turns.send(commit))\n"
        "            node.do(*node.requests.settle(commit.results))\n",
        "failover",
        100,
    ),
    "what was on its way when a link broke is not told again": Bug(
        "node/broker_links.py",
        "            outbox.put_back(sent, state)\n            return Heard()",
        "            return Heard()",
        "brokers",
        100,
    ),
    "nobody watches again after a connection was lost": Bug(
        "node/watches.py",
        "    arm(node)\n    turns.follows_topics = False\n",
        "    turns.follows_topics = False\n",
        "all",
        60,
    ),
    "a standby watches the office in its first connection only": Bug(
        "node/office.py",
        "        yield ArmWatch(self.next_request(), watches)\n",
        "        if not self.registration:\n"
        "            yield ArmWatch(self.next_request(), watches)\n",
        "nodes",
        60,
    ),
}


def planted(bug: Bug, where: Path) -> Path:
    """Make a `klamm` with this bug; return the directory to import it from."""
    package = where / "klamm"
    package.mkdir()
    (source,) = klamm.controller.__path__
    unwanted = shutil.ignore_patterns("__pycache__")
    shutil.copytree(source, package / "controller", ignore=unwanted)
    for name, same in (("protocol", klamm.protocol), ("tools", klamm.tools)):
        (path,) = same.__path__
        (package / name).symlink_to(path)
    file = package / "controller" / bug.file
    before = file.read_text()
    assert before.count(bug.text) == 1, f"{bug.file} has changed: plant the bug anew"
    file.write_text(before.replace(bug.text, bug.instead))
    return where


@pytest.mark.slow
@pytest.mark.parametrize("bug", BUGS.values(), ids=BUGS)
def test_the_lab_finds_bugs_that_it_does_not_know(bug: Bug, tmp_path: Path) -> None:
    command = [sys.executable, "-P", "-m", "klamm.tools.cli", "lab", "run", "--scope", bug.scope]
    done = subprocess.run(
        [*command, "--seeds", str(bug.seeds)],
        env={**os.environ, "PYTHONPATH": str(planted(bug, tmp_path))},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert "; 1 failed" in done.stdout, done.stdout + done.stderr
    assert ": fault at" not in done.stdout, "the bug does not run: plant another one"
