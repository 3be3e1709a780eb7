"""What a reader of ZooKeeper's transaction log sees: every write, and what it is about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from uuid import UUID

from klamm.controller.core.model import TopicPartition
from klamm.controller.node.places import Place, locate
from klamm.controller.znodes import paths
from klamm.controller.znodes.admin import ReassignPartitionsZnode, decode_reassign_partitions
from klamm.controller.znodes.errors import ZnodeError
from klamm.controller.znodes.klamm import decode_broker_lists
from klamm.controller.znodes.state import StateZnode, decode_state
from klamm.controller.znodes.topic import TopicZnode, decode_topic
from klamm.tools.lab.events import ZnodeChange
from klamm.tools.lab.history_rows import Book, Row, form
from klamm.tools.lab.written import Unreadable, assignment, read

_ORIGIN = "zookeeper"
_KIND = "znode-written"


class Znodes:
    """Takes writes in, in order, and knows by them what ZooKeeper holds.

    Whose a session is says the registration that it has made.
    """

    def __init__(self, book: Book) -> None:
        self._book = book
        self.topics: dict[str, TopicZnode] = {}
        self.states: dict[TopicPartition, StateZnode] = {}
        self.dying: set[str] = set()
        self.registered: set[int] = set()
        self.orders: dict[TopicPartition, tuple[int, ...]] = {}
        self.owed: dict[str, dict[int, tuple[int, ...]]] = {}
        #: Partitions of which a tool has written what decides, and topics.
        self.tools: set[TopicPartition | str] = set()
        self.limited = False
        #: The brokers that each node has told others to be alive, the last time.
        self.live: dict[int, list[int]] = {}
        self.epoch = 0
        self._incumbent = 0
        self._nodes: dict[int, int] = {}
        self._brokers: dict[int, int] = {}

    def take(self, change: ZnodeChange) -> None:
        """Write down a change, and what it changes for each partition."""
        book, path, after = self._book, change.path, change.after
        place = locate(path)
        session, incumbent = change.session, self._incumbent
        self._know(change)
        written = {
            "zk_path": path,
            "zk_version": -1 if after is None else after.version,
            "zk_session": str(session),
            "node": self._nodes.get(session),
            "controller_epoch": self.epoch,
        }
        detail: Row = {"zxid": change.zxid, "incumbent": str(incumbent)}
        if session in self._brokers:
            detail["writer"] = self._brokers[session]
        if place.place is Place.TOPIC:
            detail["registered"] = sorted(self.registered)
            detail |= {"limited": True} if self.limited else {}
            live = self.live.get(self._nodes.get(session, -1))
            detail |= {} if live is None else {"live": live}
        whole = dict(detail)
        if after is not None:
            data = after.data
            whole["data"] = None if data is None else data.decode("utf-8", "backslashreplace")
            if after.owner:
                whole["owner"] = str(after.owner)
        book.moment()
        # A znode of one partition has one row: there is nothing more to tell of it.
        if place.partition is None:
            book.add(_ORIGIN, _KIND, place.topic, whole, **written)
        for name, said in self._parts(change):
            extra = {**detail, **{k: v for k, v in said.items() if k != "after"}}
            book.add(_ORIGIN, _KIND, name, extra, after=said.get("after"), **written)

    def _know(self, change: ZnodeChange) -> None:
        """Learn whose a session is, and what the cluster's znodes say."""
        path, after = change.path, change.after
        place = locate(path).place
        if path == paths.CONTROLLER_EPOCH and after is not None:
            self._incumbent = change.session
            text = (after.data or b"").strip()
            self.epoch = int(text) if text.isdigit() else self.epoch
        elif place is Place.NODE and after is not None:
            self._nodes[change.session] = int(path.rpartition("/")[2])
        elif place is Place.BROKER:
            id_ = int(path.rpartition("/")[2])
            if after is not None:
                self._brokers[change.session] = id_
                self.registered.add(id_)
            else:
                self.registered.discard(id_)
        elif path == paths.CLUSTER_CONFIG:
            data = (after.data or b"") if after is not None else b""
            self.limited |= b"reassignment.max.concurrent" in data

    def _parts(self, change: ZnodeChange) -> Iterator[tuple[TopicPartition, Row]]:
        path, after = change.path, change.after
        place = locate(path)
        if place.place is Place.TOPIC:
            yield from self._of_topic(place.topic, change)
        elif place.place is Place.STATE and place.partition is not None:
            yield place.partition, self._of_state(place.partition, change)
        elif path == paths.REASSIGN_PARTITIONS:
            yield from self._of_orders(change)
        elif place.place is Place.DELETION:
            changed = self.dying.discard if after is None else self.dying.add
            changed(place.topic)
            for name in self.partitions(place.topic):
                yield name, {}
        elif place.place is Place.LEDGER:
            yield from self._of_ledger(place.topic, change)
        elif place.place is Place.BROKER:
            for name in self.partitions():
                yield name, {"broker": int(path.rpartition("/")[2])}
        elif place.place is Place.HINTS:
            for name in self.partitions(place.topic):
                yield name, {"hints": _text(change)}

    def _of_topic(self, topic: str, change: ZnodeChange) -> Iterator[tuple[TopicPartition, Row]]:
        now = read(decode_topic, change.after, change.path)
        before = self.topics.get(topic)
        if not change.session and (change.before is None or change.after is None):
            self.tools.add(topic)
        if isinstance(now, Unreadable):
            for name in self.partitions(topic):
                yield name, {"unreadable": now.why}
            self.topics.pop(topic, None)
            return
        there = before.partitions if before is not None else {}
        if now is None:
            self.topics.pop(topic, None)
            for number in there:
                yield TopicPartition(topic, number), {}
            return
        self.topics[topic] = now
        id_ = {"topic_id": str(now.topic_id) if now.topic_id is not None else ""}
        for number in sorted({*there, *now.partitions}):
            name, held = TopicPartition(topic, number), assignment(now, number)
            if held is None:
                yield name, {"dropped": True}
                continue
            if not change.session and assignment(before, number) != held:
                self.tools.add(name)
            same_id = before is not None and before.topic_id == now.topic_id
            if assignment(before, number) != held or not same_id:
                now_held = form(replicas=held.replicas, adding=held.adding, removing=held.removing)
                yield name, {"after": now_held, **id_}

    def _of_state(self, name: TopicPartition, change: ZnodeChange) -> Row:
        now = read(decode_state, change.after, change.path)
        if isinstance(now, Unreadable):
            self.states.pop(name, None)
            return {"unreadable": now.why}
        if not change.session:
            self.tools.add(name)
        if now is None:
            self.states.pop(name, None)
            return {}
        self.states[name] = now
        version = change.after.version if change.after is not None else -1
        return {
            "after": form(
                leader=now.leader,
                leader_epoch=now.leader_epoch,
                isr=now.isr,
                controller_epoch=now.controller_epoch,
                version=version,
            )
        }

    def _of_orders(self, change: ZnodeChange) -> Iterator[tuple[TopicPartition, Row]]:
        found = read(decode_reassign_partitions, change.after, change.path)
        listed = found.entries if isinstance(found, ReassignPartitionsZnode) else ()
        now = {TopicPartition(each.topic, each.partition): each.replicas for each in listed}
        before, self.orders = self.orders, now
        for name in sorted({*before, *now}):
            if before.get(name) != now.get(name):
                target = now.get(name)
                yield name, {} if target is None else {"after": form(replicas=target)}

    def _of_ledger(self, topic: str, change: ZnodeChange) -> Iterator[tuple[TopicPartition, Row]]:
        try:
            data = change.after.data if change.after is not None else None
            owed = decode_broker_lists(data, change.path) if change.after is not None else {}
        except ZnodeError:
            owed = {}  # a tool's
        before, self.owed[topic] = self.owed.get(topic, {}), dict(owed)
        for number in sorted({*before, *owed}):
            if before.get(number) != owed.get(number):
                yield TopicPartition(topic, number), {"owed": [*owed.get(number, ())]}

    @property
    def ids(self) -> Mapping[UUID, str]:
        """The names of topics by their ids."""
        found = self.topics.items()
        return {znode.topic_id: name for name, znode in found if znode.topic_id is not None}

    def partitions(self, topic: str | None = None) -> Iterator[TopicPartition]:
        """Yield the partitions of a topic, or of all, as their znodes have them."""
        topics = sorted(self.topics) if topic is None else (topic,)
        for name in topics:
            znode = self.topics.get(name)
            for number in sorted(znode.partitions) if znode is not None else ():
                yield TopicPartition(name, number)


def _text(change: ZnodeChange) -> str:
    data = change.after.data if change.after is not None else None
    return (data or b"").decode("utf-8", "backslashreplace")
