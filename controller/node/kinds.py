"""The words for what the journal's entries are about."""

from collections.abc import Mapping
from types import MappingProxyType

#: What an entry can be about, in the word of its field `kind`.
KINDS: Mapping[str, str] = MappingProxyType(
    {
        # Moves
        "accept": "a request, or an entry, starts a move, or a new order without one",
        "supersede": "a request, or an entry, gives a move that is under way another target",
        "cancel": "a request cancels a move",
        "end": "a move ends: its target is in sync",
        "refuse": "a request is refused; the reply says why",
        "no-op": "a request is granted and changes nothing",
        "answered": "a request is granted that has waited for something",
        # Entries of /admin/reassign_partitions and /admin/preferred_replica_election
        "admin-read": "moves are ordered in /admin/reassign_partitions",
        "admin-gone": "somebody removed /admin/reassign_partitions, which cancels nothing",
        "admin-tidied": "finished and refused entries leave the znode; without any it is removed",
        "admin-too-large": "ZooKeeper takes no write of the znode before fewer entries are left",
        "admin-discarded": "what an admin znode holds cannot be read, and is removed",
        "admin-election": "the elections that the znode asks for are held; it is removed",
        "entry-resumed": "what an entry asks for is under way already",
        "entry-done": "what an entry asks for is so already",
        "entry-waits": "an entry waits for a znode that cannot be read",
        "entry-refused": "an entry cannot be carried out; the text says why",
        "entry-superseded": "a request counts for more than the partition's entry",
        "entry-discarded": "an entry was written while others were under way, and is removed",
        "not-elected": "an entry asks for an election that cannot be held; the text says why",
        # Leadership
        "initialize": "a new partition has its first leader",
        "elect": "another replica leads, or nobody does",
        "resume": "the same leader leads in a new epoch",
        "isr-join": "a replica has come in sync",
        "isr-shrink": "a replica is out of sync",
        "state-read": "a partition's state was changed by somebody else, its ISR was not",
        "changed": "a partition is changed, and no decision says more",
        "stuck": "a partition cannot be changed any more",
        "told": "brokers are told of what was decided before",
        # Topics
        "topic-created": "a request creates a topic",
        "topic-grown": "a request gives a topic more partitions",
        "topic-id": "a topic that had no id gets one",
        "housed": "replicas that somebody put on a klamm node go to brokers",
        "deletion-queued": "a topic's deletion is asked for",
        "deletion-started": "clients see the topic no more, and its brokers delete their replicas",
        "deletion-withdrawn": "a topic is not to be deleted any more, or there is none",
        "topic-deleted": "nothing is left of a topic",
        "topic-read": "a topic is new to the controller, or somebody else changed it",
        "topic-gone": "a topic is gone",
        "debts-read": "former replicas of a topic are known to owe deletes",
        # What any node may do
        "config-altered": "a request changes configs of a topic or broker; the keys are named",
        "producer-ids": "a broker gets a block of producer ids",
        # The cluster and the office
        "brokers": "brokers came or went",
        "log-dir": "a broker cannot use replicas, for their log directory has failed, or can again",
        "shutdown": "a broker asked to leave, and is relieved of what others can lead",
        "started": "a process begins to write; what the one before did not come to write is gone",
        "elected": "this node is controller",
        "in office": "what an office has found, and how long that took",
        "resumed": "what became of it, when the office comes to rest for the first time",
        "snapshot": "what an office begins with; the topics follow",
        "snapshot-topic": "a topic, or a part of one, of the snapshot before",
        "resigned": "this node is controller no more",
        "fenced": "a write was refused, for another controller has been elected",
        "stood still": "the process was stopped; it asks ZooKeeper before it goes on",
        "session-given-up": "the session with ZooKeeper is over",
        "housekeeping": "writes that no decision is named for",
        # Trouble
        "conflict": "a write met another one; what it is about is read and decided again",
        "given up": "a cause has failed too often",
        "fault": "a cause cannot be decided, for a fault of klamm's; please report the traceback",
        "refused": "a broker or ZooKeeper refused something",
        "unreadable": "a znode cannot be read; what it is about is left alone",
        "ignored": "a part of a znode does not count, and is not written again",
        "election refused": "ZooKeeper refused the election",
        "watch refused": "ZooKeeper refused a watch",
        "old notices stay": "notices of changed configs that are old could not be deleted",
        "shared id": "a broker and a klamm node have the same id",
        "node id taken": "another node is registered under this one's id",
        "lost": "entries were dropped, for the disk was slower than the controller",
        "unwritable": "an entry could not be written, and this is all that is known of it",
        "counters": "the counters of this moment",
    }
)
