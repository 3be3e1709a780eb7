"""Letting time pass in scripts, until something is so."""

from collections.abc import Callable

from klamm.tools.lab.world import World

#: Far more moments than any script needs.
_MOST = 1_000


def wait(
    world: World, reached: Callable[[], bool], *, but: Callable[[str], bool] | None = None
) -> None:
    """Let regular actions and time pass until something is reached; `but` must not happen.

    Raises RuntimeError if it does not come about.
    """
    for _ in range(_MOST):
        if world.until(reached, but=but):
            return
        world.do("time passes")
    raise RuntimeError(f"not reached after {_MOST} moments, at {world.now} s")
