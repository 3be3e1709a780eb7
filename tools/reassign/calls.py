"""The tool for programs: what kafka-reassign-partitions offers as executeAssignment.

Source: Kafka 3.9, tools, ReassignPartitionsCommand.java (executeAssignment); the three parameters
of pacing are KIP-1335's (Programmatic API).
"""

from __future__ import annotations

import sys
from typing import TextIO

from klamm.tools.admin import Admin
from klamm.tools.reassign.execute import execute
from klamm.tools.reassign.output import Output
from klamm.tools.reassign.pacing import Pacing
from klamm.tools.reassign.submission import ExecuteOptions
from klamm.tools.reassign.waiting import SYSTEM_CLOCK, Clock


def execute_assignment(
    admin: Admin,
    additional: bool,
    reassignment_json: str,
    inter_broker_throttle: int = -1,
    log_dir_throttle: int = -1,
    timeout_ms: int = 10_000,
    *,
    reassignment_batch_size: int = 0,
    incremental: bool = False,
    reassignment_poll_interval_ms: int = 1000,
    clock: Clock = SYSTEM_CLOCK,
    out: TextIO | None = None,
    err: TextIO | None = None,
) -> None:
    """Start a plan as --execute does, and print on `out` what it prints: standard output if None.

    Throttles are in bytes per second, below 0 none. Warnings go to `err`. Raises ValueError for a
    pacing that cannot be, TerseError and CommandError with the texts of the tool, and AdminError.
    """
    pacing = Pacing(reassignment_batch_size, incremental, reassignment_poll_interval_ms)
    options = ExecuteOptions(
        additional, inter_broker_throttle, log_dir_throttle, timeout_ms, pacing=pacing
    )
    output = Output(out or sys.stdout, err or sys.stderr)
    execute(admin, reassignment_json, options, output, clock)
