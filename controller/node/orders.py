"""What was read of the znodes by which old tools order moves and elections.

Whatever they hold is told as a fact: bytes that nobody can read must be reported and removed, or
they would block the path for ever (H9, N1).
"""

from klamm.controller.core.events import AdminElectionRead, AdminReassignmentsRead
from klamm.controller.store.port import Missing, Znode
from klamm.controller.znodes.admin import decode_partitions, decode_reassign_partitions
from klamm.controller.znodes.errors import ZnodeError


def reassignments_of(result: Znode | Missing) -> AdminReassignmentsRead:
    """What /admin/reassign_partitions says."""
    if isinstance(result, Missing):
        return AdminReassignmentsRead()
    try:
        found = decode_reassign_partitions(result.data, result.path)
    except ZnodeError as fault:
        return AdminReassignmentsRead(result.version, result.czxid, fault=str(fault))
    return AdminReassignmentsRead(result.version, result.czxid, found.entries, found.rejected)


def election_of(result: Znode | Missing) -> AdminElectionRead:
    """What /admin/preferred_replica_election says."""
    if isinstance(result, Missing):
        return AdminElectionRead()
    try:
        found = decode_partitions(result.data, result.path)
    except ZnodeError as fault:
        return AdminElectionRead(result.version, result.czxid, fault=str(fault))
    return AdminElectionRead(result.version, result.czxid, found.entries, found.rejected)
