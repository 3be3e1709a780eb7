"""Moves in steps whose controller is killed: before and after each write of each step.

Another klamm goes on with the step; Kafka's own controller, which knows no steps, ends the move all
the same, and klamm goes on from where that one was.
"""

from collections.abc import Iterator

import pytest

from klamm.tools.lab.apache.crash_points import Point, points, prepare, run
from klamm.tools.lab.apache.outcomes import REQUEST_LOST, Outcome
from klamm.tools.lab.apache.scenarios import Scenario
from klamm.tools.lab.apache.stage import Stage
from klamm.tools.lab.apache.stepped import EXAMPLE, HALF_CANCELLED, STEPPED

ALL = (*STEPPED, HALF_CANCELLED)


def ends(
    scenario: Scenario, first: str, second: str, *, everywhere: bool = False
) -> Iterator[tuple[Point, Outcome, Stage]]:
    """Kill the first controller before and after each write, and when all is done.

    With `everywhere` also before each request to a broker and each reply.
    """
    made = prepare(scenario, first, second)
    found = points(scenario, made.copy())
    for point in found:
        if everywhere or "write of" in point.label or point is found[-1]:
            stage = made.copy()
            _, end = run(scenario, stage, point)
            yield point, end, stage


def ends_as_asked(scenario: Scenario, end: Outcome) -> bool:
    """Tell whether all is as it was asked for, or nothing of what nobody was promised."""
    return end.ends == "F" or (end.client == REQUEST_LOST and scenario.asks is not None)


def only_strays(end: Outcome) -> bool:
    """Kafka's controller remembers no deletes (H7); nothing else may be left over."""
    return all(trouble.startswith("stray on") for trouble in end.troubles)


@pytest.mark.req("R435-31", "R435-47", "R435-51", "R435-53")
@pytest.mark.parametrize("scenario", ALL, ids=lambda scenario: scenario.name)
def test_another_klamm_goes_on_from_any_write(scenario: Scenario) -> None:
    goes_on(scenario, everywhere=False)


@pytest.mark.slow
@pytest.mark.req("R435-31", "R435-47")
@pytest.mark.parametrize("scenario", [*ALL, EXAMPLE], ids=lambda scenario: scenario.name)
def test_another_klamm_goes_on_from_anywhere(scenario: Scenario) -> None:
    goes_on(scenario, everywhere=True)


def goes_on(scenario: Scenario, *, everywhere: bool) -> None:
    end = None
    for point, end, _ in ends(scenario, "klamm", "klamm", everywhere=everywhere):
        assert ends_as_asked(scenario, end), (point, end)
        assert (end.troubles, end.broken) == ((), ""), (point, end)
    assert end is not None
    assert end.ends == "F", "nobody is killed before it is done"


@pytest.mark.req("R435-49")
def test_a_stock_controller_ends_the_proposal_s_example_from_any_write() -> None:
    found = stock_ends(EXAMPLE, everywhere=False)
    # Each of the four steps begins and ends, and each is written.
    assert found > 12


@pytest.mark.slow
@pytest.mark.req("R435-49")
@pytest.mark.parametrize("scenario", [EXAMPLE, *ALL], ids=lambda scenario: scenario.name)
def test_a_stock_controller_ends_it_from_anywhere(scenario: Scenario) -> None:
    stock_ends(scenario, everywhere=True)


def stock_ends(scenario: Scenario, *, everywhere: bool) -> int:
    found = 0
    for point, end, _ in ends(scenario, "klamm", "apache", everywhere=everywhere):
        assert ends_as_asked(scenario, end), (point, end)
        assert only_strays(end), (point, end)
        found += 1
    return found


@pytest.mark.req("R435-50")
@pytest.mark.parametrize(
    "scenario",
    [each for each in STEPPED if each.asks or each.name == "steps by znode"],
    ids=lambda scenario: scenario.name,
)
def test_klamm_goes_on_in_steps_after_a_stock_controller(scenario: Scenario) -> None:
    for point, end, stage in ends(scenario, "apache", "klamm"):
        assert ends_as_asked(scenario, end), (point, end)
        assert only_strays(end), (point, end)
        # What klamm itself has done breaks no invariant; Kafka's memory is ahead of ZooKeeper (H5).
        assert end.broken in ("", "I9"), (point, stage.world.violation)
