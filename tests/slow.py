"""How much the slow suites do: their short form in CI, their long form by hand.

The short forms take minutes together. `KLAMM_SLOW=10` in the environment makes each do ten times
as much, which takes the better part of an hour:

    KLAMM_SLOW=10 python3 tools/dev.py test -m slow
"""

import os

from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test

FACTOR = int(os.environ.get("KLAMM_SLOW", "1"))


def examples(short: int) -> int:
    """Return how many examples to try, given those of the short form."""
    return short * FACTOR


#: The short form tries the same examples each time, so that it fails only for what has changed;
#: the long form looks for new ones.
SAME_EXAMPLES = FACTOR == 1


def run_for_longer(machine: type[RuleBasedStateMachine]) -> None:
    """Run a state machine with more and longer examples than the default tests do."""
    longer = settings(
        max_examples=examples(600),
        stateful_step_count=50,
        derandomize=SAME_EXAMPLES,
        database=None,
        deadline=None,
    )
    run_state_machine_as_test(machine, settings=longer)
