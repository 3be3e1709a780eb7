"""`klamm plan`: plans with as few moves as can be, made in this process."""

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import click

from klamm.tools.cli._plan_commands import add_to
from klamm.tools.planner.runner import Local


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    """Make plans with as few moves as racks, sizes and leaders allow.

    No partition is spread over racks worse than before, unless nothing of another rack is left,
    which is said; no broker gets more than it has room for, and only what must change does. The
    way back is always written too. What is written goes to `klamm reassign --execute` or
    kafka-reassign-partitions.

    Exit code 0 if the plan does all that was asked for, 1 if partitions had to be left out, 2 for
    what cannot be asked for.

    \b
      klamm snapshot --bootstrap-server HOST:PORT --to now.json
      klamm plan drain --brokers 3 --snapshot now.json --to drain.json
      klamm reassign --bootstrap-server HOST:PORT --execute \\
          --reassignment-json-file drain.json
    """


def _as_it_is(command: Callable[..., Any]) -> Callable[..., Any]:
    return command


add_to(command, lambda _: nullcontext(Local()), _as_it_is)
