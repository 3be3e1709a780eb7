"""What of a world a fingerprint leaves out, and which of its numbers only number.

A field that is not named here counts as it is. Too little here costs time: worlds with the same
future are explored twice. Too much would miss some, so each row says why it is right; all rest on
what an exploration leaves out, which is time: no timer runs out, and no clock moves.
"""

from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType

#: By class, and by field: why nothing that can still happen depends on it.
LEFT_OUT: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "World": {
            "scope": "the same in all worlds of one exploration",
            "variant": "likewise",
            "choices": "whoever explores chooses",
            "script": "the past, for replays",
            "happened": "the last step, which is over and was checked",
            "_steps": "numbers the past",
            "violation": "the exploration ends with the first",
            "_requests": "numbers requests; the next has another number in any case",
        },
        "NodeHost": {
            "timers": "none runs out",
            "lives": "only the begin of the desk's draws",
        },
        "BrokerHost": {"lives": "counts the past"},
        "Desk": {"_draws": "draws are ids of topics, and none is made"},
        "Context": {
            "draw": "of the desk, which is there anyway",
            "draw_topic_id": "likewise",
        },
        "Follower": {
            "served_at": "to be shown",
            "in_sync_until": "to be shown",
            "max_lag": "to be shown",
            "lagging": "for what leaders tell of followers, and none does",
        },
        "Asked": {"step": "for traces"},
        "NodeData": {"sequence": "numbers the journal"},
        "Office": {"requests": "numbers requests; the next is newer than all"},
        "Door": {"_last": "likewise"},
        "BrokerLinks": {"sends": "likewise"},
        "Calls": {"_last": "likewise"},
        "Flows": {"_deadline": "worked out of the others"},
        "Turns": {
            "next_request": "likewise",
            "next_cause": "likewise",
            "sources": "for the journal",
            "seen": "for the journal",
        },
        "Cause": {"origin": "for the journal"},
        "Assignment": {"before": "to be shown"},
        "Commit": {"entries": "for the journal"},
        "Journal": {"sequence": "numbers the journal", "origin": "for the journal"},
        "Inauguration": {"elected_at": "for the journal", "read_at": "for the journal"},
        "Node": {"children": "the paths of znodes say it"},
        "Tree": {"zxid": "the next is above all that are kept"},
        "Observed": {
            "count": "numbers the past",
            "film": "for pages",
            "actor": "of the step that is over",
            "still": "likewise",
            "brokers_acted": "likewise",
        },
    }
)


class Number(Enum):
    """Kinds of numbers of which nothing matters but which are equal, and which is larger."""

    ZXID = "zxid"
    """Over all hosts: who wrote before whom."""
    REQUEST = "request"
    """A host's requests to ZooKeeper; negative, positive, and those of a door, each by itself."""
    CAUSE = "cause"
    """The causes of a node's turns."""
    SEND = "send"
    """A node's requests to brokers."""
    STEP = "step"
    """When a watcher saw something."""


#: By the name of a field, in all classes: itself, its items, or its keys if it is a mapping.
BY_NAME: Mapping[str, Number] = MappingProxyType(
    {
        "czxid": Number.ZXID,
        "mzxid": Number.ZXID,
        "zxid": Number.ZXID,
        "last_zxid": Number.ZXID,
        "registration_epoch": Number.ZXID,
        "broker_epoch": Number.ZXID,
        "request": Number.REQUEST,
        "election": Number.REQUEST,
        "question": Number.REQUEST,
        "registration": Number.REQUEST,
        "inspection": Number.REQUEST,
        "reading": Number.REQUEST,
        "survey_request": Number.REQUEST,
        "inquiry_request": Number.REQUEST,
        "send": Number.SEND,
        "assigned_at": Number.STEP,
        "asked_at": Number.STEP,
        "gone_at": Number.STEP,
    }
)

#: By class and field, where the name alone does not say it; None: as it is, whatever its name.
BY_CLASS: Mapping[tuple[str, str], Number | None] = MappingProxyType(
    {
        ("Broker", "epoch"): Number.ZXID,
        ("Registration", "epoch"): Number.ZXID,
        ("Registration", "_commit"): Number.REQUEST,
        ("Registration", "_look"): Number.REQUEST,
        ("Registration", "_look_for_node"): Number.REQUEST,
        ("Registration", "_ask_id"): Number.REQUEST,
        ("Registration", "_clear"): Number.REQUEST,
        ("Calls", "_open"): Number.REQUEST,
        ("Calls", "_waiting"): Number.REQUEST,
        ("DynamicConfigs", "_arm"): Number.REQUEST,
        ("DynamicConfigs", "_look"): Number.REQUEST,
        ("DynamicConfigs", "_reads"): Number.REQUEST,
        ("DynamicConfigs", "_notices"): Number.REQUEST,
        ("ZnodePublisher", "_writes"): Number.REQUEST,
        ("ZnodePublisher", "_reads"): Number.REQUEST,
        ("Door", "_asked"): Number.REQUEST,
        ("Cause", "id"): Number.CAUSE,
        ("Turns", "taken"): Number.CAUSE,
        ("Commit", "causes"): Number.CAUSE,
        ("Commit", "parts"): Number.CAUSE,
        ("Commit", "results"): Number.CAUSE,
        ("_Pending", "causes"): Number.CAUSE,
        ("_Pending", "results"): Number.CAUSE,
        ("Requests", "_request_of"): Number.CAUSE,
        ("InFlight", "number"): Number.SEND,
        ("Order", "since"): Number.STEP,
        ("Reply", "request"): None,
        ("Transacted", "request"): None,
    }
)
