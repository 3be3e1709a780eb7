"""Requests for partitions that /admin/reassign_partitions names, and what they do to it.

In profile apache-3.9 a request that succeeds takes its partitions' entries out, in the multi that
writes their topic, or the old target would return with the next controller (F01, H4). A request
that is refused leaves them (N9). In kip-455 the entries stay, and that is what happens (KIP-455,
"Compatibility, Deprecation, and Migration Plan").

Source: Kafka 3.9, KafkaController.scala, maybeRemoveFromZkReassignment; there the znode is written
before the request is looked at as a whole, and apart from its topics.
"""

from klamm.controller.core.changes import Change, SetAdmin
from klamm.controller.core.draft import Draft, Unit
from klamm.controller.core.model import Assignment, TopicPartition
from klamm.controller.core.ops import Op
from klamm.controller.core.results import Fault, Refusal
from klamm.controller.znodes import paths

#: What a multi needs besides the rewrite of the znode: its frame, the fence, the counter.
FRAME_BYTES = 2_000


def frees(draft: Draft, name: TopicPartition) -> bool:
    """Tell whether a request for this partition is to take an entry out."""
    return draft.rules.api_takes_over and name in draft.admin.entries


def is_ordered(draft: Draft, name: TopicPartition, present: Assignment) -> bool:
    """Tell whether an entry that can be taken out is still to move this partition elsewhere.

    Not one that has been refused, nor one that the partition has come to, though it still stands.
    """
    admin = draft.admin
    is_refused = name in admin.refused or name in draft.refused_entries
    if is_refused and admin.accepted.get(name) == admin.entries.get(name):
        return False
    return _differs(draft, name, present)


def check_room(draft: Draft, name: TopicPartition, wanted: Assignment) -> Refusal | None:
    """Refuse a request whose entry cannot be taken out, if the next controller might undo it.

    That one judges anew what has been refused here.
    """
    if not _differs(draft, name, wanted) or fits(draft, size := draft.admin_size()):
        return None
    text = f"{name} is named in {paths.REASSIGN_PARTITIONS}, which takes {size:,} bytes to write"
    text += f" without it; one write holds {draft.settings.packet_limit:,}. Wait until all that it"
    text += " orders is done, for then it goes by itself; or raise jute.maxbuffer at ZooKeeper's"
    text += " servers and here; or delete that znode: what it has begun goes on."
    return Refusal(Fault.INVALID_REQUEST, text)


def _differs(draft: Draft, name: TopicPartition, assignment: Assignment) -> bool:
    """Tell whether an entry that can be taken out asks for something else than this leads to."""
    return frees(draft, name) and draft.admin.entries[name] != assignment.target


def fits(draft: Draft, size: int) -> bool:
    """Tell whether ZooKeeper takes a rewrite of so many bytes, alone in its multi."""
    return size + FRAME_BYTES <= draft.settings.packet_limit


def take_over(draft: Draft, name: TopicPartition) -> None:
    """Let what this turn does to the partition count for more than the znode's entry for it.

    An entry that `check_room` lets by, though it cannot be taken out, does no harm and stays.
    """
    entry = draft.admin.entries.get(name)
    if entry is None or (unit := draft.unit(name)).takes_over:
        return
    if draft.rules.api_takes_over and not fits(draft, draft.admin_size()):
        return
    unit.takes_over = True
    stays = "" if draft.rules.api_takes_over else "; it stays, and counts for the next controller"
    draft.note("entry-superseded", f"the entry asks for {[*entry]}{stays}", name=name)


class Takeovers:
    """The writes of the znode that a Plan's Commits hold, one each at most.

    `late` are units whose topic and entry do not fit into one Commit: their topics come first,
    the entries in the Plan's last Commit, and with them the replies (R455-87).
    """

    def __init__(self, draft: Draft) -> None:
        self.late: list[tuple[TopicPartition, Unit]] = []
        self._draft = draft
        self._admin = draft.admin.refusing(frozenset(draft.refused_entries))
        self._names: list[TopicPartition] = []

    def share(self, unit: Unit) -> int:
        """The most that a Commit must hold, beyond what it holds so far, to take this unit."""
        if self._names or not (unit.takes_over and self._draft.rules.api_takes_over):
            return 0
        return self._draft.admin_size()

    def add(self, name: TopicPartition) -> None:
        """Let the present Commit take over this partition."""
        self._names.append(name)

    def close(self) -> tuple[list[Op], list[Change]]:
        """What the present Commit writes, and what is known with it."""
        names, self._names = self._names, []
        if not names:
            return [], []
        if not self._draft.rules.api_takes_over:
            self._admin = self._admin.overriding(names)
            return [], [SetAdmin(self._admin)]
        kept, accepted = self._admin.without(names)
        # A znode with children cannot be removed before they are.
        bears = bool(self._draft.below.get(paths.REASSIGN_PARTITIONS))
        op = self._admin.removal(kept, bears=bears)
        self._admin = self._admin.after(kept, accepted, bears=bears)
        return [op], [SetAdmin(self._admin)]
