"""The plan of faults is a function of the seed."""

from collections import Counter

import pytest

from klamm.tools.chaos.plan import SESSION_TIMEOUT_MS, Action, draw_plan

NODES, BROKERS = (900, 901, 902), (0, 1, 2, 3, 4, 5)


def test_the_same_seed_gives_the_same_plan_and_another_one_another() -> None:
    assert draw_plan(7, 60, NODES, BROKERS) == draw_plan(7, 60, NODES, BROKERS)
    assert draw_plan(7, 60, NODES, BROKERS) != draw_plan(8, 60, NODES, BROKERS)


def test_a_longer_run_begins_like_a_shorter_one() -> None:
    short, long = draw_plan(7, 60, NODES, BROKERS), draw_plan(7, 600, NODES, BROKERS)
    assert long[: len(short)] == short


@pytest.mark.parametrize("seed", range(20))
def test_a_plan_does_everything_and_never_too_much(seed: int) -> None:
    plan = draw_plan(seed, 600, NODES, BROKERS)
    assert Counter(planned.action for planned in plan).keys() == set(Action)
    freezes = [each.seconds for each in plan if each.action is Action.FREEZE]
    timeout = SESSION_TIMEOUT_MS / 1000
    assert min(freezes) < timeout < max(freezes), "zombies and sleepers"
    for planned in plan:
        assert 0 < planned.at < 600 - 1
        ill = [
            each.target
            for each in plan
            if each.action in (Action.KILL_BROKER, Action.STOP_BROKER, Action.FREEZE_BROKER)
            and each.at <= planned.at < each.at + each.seconds
        ]
        assert len(ill) == len(set(ill)) <= len(BROKERS) // 2
