"""--list: every move of the cluster."""

from __future__ import annotations

from collections.abc import Mapping

from klamm.tools.admin import Admin, PartitionReassignment, TopicPartition
from klamm.tools.reassign import texts
from klamm.tools.reassign.output import Output


def list_moves(admin: Admin, output: Output) -> None:
    """Print all moves; raises AdminError."""
    moving = admin.list_partition_reassignments().result()
    output.say(texts.listing(moving))
    output.put(reassignments=facts(moving))


def facts(moving: Mapping[TopicPartition, PartitionReassignment]) -> list[dict[str, object]]:
    """Return moves as JSON has them, sorted."""
    return [
        {
            "topic": name.topic,
            "partition": name.partition,
            "replicas": list(move.replicas),
            "adding": list(move.adding_replicas),
            "removing": list(move.removing_replicas),
        }
        for name, move in sorted(moving.items())
    ]
