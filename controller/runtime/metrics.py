"""What can be counted about a node at any moment, by name."""

from klamm.controller.core.model import ClusterState
from klamm.controller.node.counters import count
from klamm.controller.runtime.journal import Journal


def snapshot(state: ClusterState | None, journal: Journal) -> dict[str, int | dict[int, int]]:
    """Return a node's counters: Kafka's of its state, None unless in office, and its journal's.

    `JournalEntriesDropped` counts entries that are missing in the journal, `JournalFailing` is 1
    while its file cannot be written.
    """
    return {
        **count(state).by_name(),
        "JournalEntriesDropped": journal.dropped,
        "JournalFailing": int(bool(journal.failure)),
    }
