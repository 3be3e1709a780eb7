"""The lab's benchmark, on next to nothing; figures need a quiet machine."""

import pytest

from klamm.tools.bench import lab
from klamm.tools.lab.scope import Scope


@pytest.mark.parametrize(("scope", "runs"), [(lab.SMALLEST, 10), (lab.TWENTY, 1)])
def test_whole_runs_are_counted(scope: Scope, runs: int) -> None:
    result = lab.measure(scope, runs)
    assert (result.runs, result.violations) == (runs, 0)
    assert result.events > 30 * runs and result.seconds > 0
    assert str(result).startswith(f"{scope.name}: ")
