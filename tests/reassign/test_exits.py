"""The one table of exit codes."""

from klamm.tools.reassign.exits import Exit


def test_exit_codes() -> None:
    """Scripts go by these numbers."""
    assert {one.name: int(one) for one in Exit} == {
        "DONE": 0,
        "FAILED": 1,
        "USAGE": 2,
        "NOT_FINISHED": 3,
        "STUCK": 4,
    }
