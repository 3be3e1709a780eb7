"""Invariants that a step cannot have touched are not looked at; they would have nothing to say."""

import pytest

from klamm.tools.lab import invariants, registry
from klamm.tools.lab.events import Violation
from klamm.tools.lab.invariants import INVARIANTS, Watched
from klamm.tools.lab.observe import Observed
from klamm.tools.lab.run import Opening, run
from klamm.tools.lab.scopes import ALL
from klamm.tools.lab.studies import ALL_SCOPES
from klamm.tools.lab.written import Digest

#: With bugs that different invariants find.
VARIANTS = ("F10", "F33", "H3", "N1")


@pytest.mark.parametrize("variant", ["", *VARIANTS])
def test_invariants_that_are_passed_over_hold(
    monkeypatch: pytest.MonkeyPatch, variant: str
) -> None:
    wrong: list[tuple[str, str]] = []
    passed_over: set[str] = set()
    first, concerned = invariants._first, invariants._concerned

    def look_at_all(world: Watched, seen: Observed, digest: Digest) -> Violation | None:
        looked_at = {name for name, _ in concerned(seen, digest)}
        for name in INVARIANTS.keys() - looked_at:
            passed_over.add(name)
            found = INVARIANTS[name](world, seen, digest)
            wrong.extend((name, each.text) for each in found)
        return first(world, seen, digest)

    monkeypatch.setattr(invariants, "_first", look_at_all)
    chosen = registry.variant(variant) if variant else None
    scope = ALL if chosen is None else ALL_SCOPES.get(chosen.exposed_by, ALL)
    opening = Opening(scope, chosen)
    for seed in range(6):
        run(opening, seed)
    assert passed_over >= {"I1", "I2", "I3", "I5", "I6", "I7", "I8", "I11", "I12"}
    assert not wrong
