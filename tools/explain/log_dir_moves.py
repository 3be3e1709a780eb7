"""Replicas on their way to another directory of their broker. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from klamm.controller.configs.throttle_keys import LOG_DIR_RATE
from klamm.tools.admin.names import TopicPartition
from klamm.tools.explain.commands import Commands
from klamm.tools.explain.facts import Facts
from klamm.tools.explain.findings import Cause, Finding
from klamm.tools.explain.throttles import SENSIBLE_RATE

_ADVISED_RATE = 10_000_000


def findings(facts: Facts, name: TopicPartition, commands: Commands) -> Iterable[Finding]:
    """Tell of each copy between directories, and of one that its broker's throttle keeps."""
    for replica, move in sorted(facts.last.log_dir_moves.items()):
        if (replica.topic, replica.partition) != name:
            continue
        broker = replica.broker
        text = f"broker {broker} moves its replica to {move.path}, {move.offset_lag} offsets behind"
        evidence: dict[str, object] = {"log_dir": move.path, "offset_lag": move.offset_lag}
        rate = facts.brokers.get(broker, {}).get(LOG_DIR_RATE, "")
        if move.offset_lag and rate.isdigit() and int(rate) < SENSIBLE_RATE:
            yield Finding(
                Cause.LOG_DIR_MOVE_THROTTLED,
                name,
                f"{text}, and may copy only {rate} B/s",
                (broker,),
                {**evidence, "throttle": int(rate)},
                f"let it copy {_ADVISED_RATE} B/s:",
                (commands.log_dir_rate(broker, _ADVISED_RATE),),
            )
        else:
            yield Finding(Cause.LOG_DIR_MOVE, name, text, (broker,), evidence)
