"""What journals tell of topics' znodes, held against the ZooKeeper that they were written about."""

from pathlib import Path

import pytest
from pipeline.histories import events_of_lab, held_in_lab, lake_of

from klamm.tools.lab.history import of_seed
from klamm.tools.lab.scopes import SCOPES
from klamm.tools.pipeline.jobs import replay

SEEDS = {"all": (1, 2, 3, 4), "leaders-ask": (1, 2, 3, 4), "nodes": (1, 2)}


@pytest.mark.req("R455-108")
@pytest.mark.parametrize(
    ("scope", "seed"), [(scope, seed) for scope, seeds in SEEDS.items() for seed in seeds]
)
def test_what_is_rebuilt_is_what_zookeeper_holds(tmp_path: Path, scope: str, seed: int) -> None:
    history = of_seed(SCOPES[scope], seed)
    lake = lake_of(tmp_path, events_of_lab(history, "lab"))
    (rebuilt,) = replay.plain(lake)
    held = held_in_lab(history)
    assert held
    assert replay.check(lake, "lab", held) == []
    assert (rebuilt.znodes, rebuilt.missing) == (len(held), 0)
