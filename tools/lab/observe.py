"""What a watcher of a world knows: the znodes as values, and what was ever durable in them.

The watcher stands outside. It sees every write of ZooKeeper with its writer, every input and
effect of every node, and may look into nodes and disks; no node knows half of it. The invariants
decide by this knowledge. It grows with what happens and is never worked out anew, so that an event
costs as much as it has changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from klamm.controller.core.model import Assignment, ClusterState, TopicPartition
from klamm.controller.core.ops import Create, Op, SetData
from klamm.controller.core.pace import UNLIMITED
from klamm.controller.node.effects import CloseLink, Commit, Reply, Resign, Send, Transacted
from klamm.controller.node.inputs import BrokerAnswer, Request
from klamm.controller.node.places import Place, locate
from klamm.controller.store.port import CommitDone, Committed, SessionEvent
from klamm.controller.znodes import paths
from klamm.controller.znodes.admin import ReassignPartitionsZnode, decode_reassign_partitions
from klamm.controller.znodes.controller import decode_controller_epoch
from klamm.controller.znodes.state import StateZnode, decode_state
from klamm.controller.znodes.topic import TopicZnode, decode_topic
from klamm.tools.lab.asking import AskedMoves
from klamm.tools.lab.disks import DiskWatch
from klamm.tools.lab.events import Content, Happened, ZnodeChange
from klamm.tools.lab.film import Film
from klamm.tools.lab.seen import Seen, is_still, node_of
from klamm.tools.lab.written import (
    Acknowledged,
    AdminWrite,
    Digest,
    EpochWrite,
    Order,
    StateWrite,
    TopicWrite,
    Unreadable,
    Write,
    assignment,
    fields,
    read,
)


@dataclass(slots=True)
class Observed:
    """All that was seen of one world until now.

    `durable_*` hold what stood in a znode of this version at any time: a name can come back with
    versions that were there before, so there may be several. `leads` are the leader and epoch
    that each partition had last, which outlast the removal of its state by a controller;
    `leads_ever` all of them.
    """

    #: What min.insync.replicas demands of decisions, see I5.
    min_in_sync: int = 1
    #: Takes down how everything looks after each step, if somebody wants to see it.
    film: Film | None = None
    #: How many steps were seen; the numbers of events begin anew after a world's opening.
    count: int = 0
    begun: bool = False
    node_sessions: dict[int, str] = field(default_factory=dict)
    epoch: int = 0
    epoch_session: int = 0
    topics: dict[str, TopicZnode | Unreadable] = field(default_factory=dict)
    states: dict[TopicPartition, StateZnode | Unreadable] = field(default_factory=dict)
    durable_topics: dict[tuple[str, int], list[TopicZnode]] = field(default_factory=dict)
    durable_states: dict[tuple[TopicPartition, int], list[StateZnode]] = field(default_factory=dict)
    leads: dict[TopicPartition, tuple[int, int]] = field(default_factory=dict)
    leads_ever: set[tuple[TopicPartition, int, int]] = field(default_factory=set)
    orders: dict[TopicPartition, Order] = field(default_factory=dict)
    moves: AskedMoves = field(default_factory=AskedMoves)
    #: When an assignment was written last, and a broker went away.
    assigned_at: dict[TopicPartition, int] = field(default_factory=dict)
    gone_at: dict[int, int] = field(default_factory=dict)
    commits: dict[tuple[str, int], tuple[Op, ...]] = field(default_factory=dict)
    #: Leader epochs that a node was told are durable, in its present session.
    acknowledged: dict[str, dict[TopicPartition, int]] = field(default_factory=dict)
    #: The state of each node when it was looked at last.
    views: dict[str, ClusterState] = field(default_factory=dict)
    disks: DiskWatch = field(default_factory=DiskWatch)
    #: The requests that were answered.
    replied: set[int] = field(default_factory=set)
    #: Somebody has limited moves, so that they may be made in steps from then on.
    limited: bool = False
    #: Somebody has lifted the limits: moves may have been carried out whole since, for a moment.
    lifted: bool = False
    #: Partitions whose state a tool has written behind the back of controller and leader.
    meddled: set[TopicPartition] = field(default_factory=set)
    #: Requests to brokers that are not answered, by node and broker, with the broker's epoch.
    in_flight: dict[tuple[str, int], tuple[int, set[int]]] = field(default_factory=dict)
    #: Of the present step: the node that was given something; whether no host has done anything;
    #: whether brokers may have done something.
    actor: str = ""
    still: bool = False
    brokers_acted: bool = False

    def digest(self, world: Seen, happened: Happened) -> Digest:
        """Take in what a step has written, and return it as values."""
        if not self.begun:
            self._begin(world, {change.path: change.before for change in happened.znodes})
        self.count += 1
        digest = Digest(happened)
        self.actor = node_of(world, happened) if happened.inputs or happened.effects else ""
        for event in happened.inputs:
            match event:
                case SessionEvent(session=session) if session:
                    self.node_sessions[session] = self.actor
                case CommitDone(request=request, outcome=outcome):
                    ops = self.commits.pop((self.actor, request), ())
                    if isinstance(outcome, Committed) and ops:
                        digest.acknowledged.append(Acknowledged(ops, outcome.results))
                case BrokerAnswer(broker=id_, send=send):
                    if (waiting := self.in_flight.get((self.actor, id_))) is not None:
                        waiting[1].discard(send)
                case Request(id=id_, events=events):
                    self.moves.take(self.actor, id_, events)
        for effect in happened.effects:
            match effect:
                case Commit(request=request, ops=ops):
                    self.commits[self.actor, request] = ops
                case Send():
                    self._sent(effect)
                case CloseLink(broker=id_):
                    self.in_flight.pop((self.actor, id_), None)
                case Resign():
                    self._left(self.actor)
        for change in happened.znodes:
            self._written(digest, change)
        self.still = is_still(happened) and not self.actor
        self.brokers_acted = not (self.still or self.actor)
        self.disks.deleted = []
        if self.brokers_acted:
            self.disks.look(world)
        return digest

    def passes_by(self, happened: Happened) -> bool:
        """Tell whether a step has changed no znode and nothing within a host, as most do."""
        changed = happened.znodes or happened.inputs or happened.effects or happened.replied
        if changed or self.film is not None or not (self.begun and is_still(happened)):
            return False
        self.count += 1
        self.actor, self.still, self.brokers_acted, self.disks.deleted = "", True, False, []
        return True

    def _sent(self, send: Send) -> None:
        """A broker that was restarted gets a new link, the former one ends."""
        to, epoch = (self.actor, send.broker.id), send.broker.epoch
        if to not in self.in_flight or self.in_flight[to][0] != epoch:
            self.in_flight[to] = epoch, set()
        self.in_flight[to][1].add(send.send)

    def _left(self, node: str) -> None:
        """Nothing of what a node had under way counts any more: its session or process is over."""
        self.in_flight = {key: sent for key, sent in self.in_flight.items() if key[0] != node}
        self.commits = {key: ops for key, ops in self.commits.items() if key[0] != node}
        self.moves.leave(node, self.count)

    def _begin(self, world: Seen, before: Mapping[str, Content | None]) -> None:
        """Take the tree as it was before the first step for what everything starts from."""
        self.begun = True
        digest = Digest(Happened(0, 0.0, "", ""))
        found: dict[str, Content | None] = {
            path: Content(node.data, node.version, node.owner)
            for path, node in world.zookeeper.tree.nodes.items()
        }
        for path, content in {**found, **before}.items():
            if content is not None:
                self._written(digest, ZnodeChange(path, None, content, 0, 0))
        self._fold_writes(digest)

    def _written(self, digest: Digest, change: ZnodeChange) -> None:
        path, after = change.path, change.after
        by = self.node_sessions.get(change.session, "")
        version = after.version if after is not None else -1
        write = Write(by, change.session, self.epoch_session, path, version)
        place = locate(path)
        if path == paths.CONTROLLER_EPOCH:
            digest.epochs.append(self._epoch_written(write, after))
        elif path == paths.CLUSTER_CONFIG:
            data = (after.data or b"") if after is not None else b""
            some = data.count(b"reassignment.max") > data.count(b'"%d"' % UNLIMITED)
            self.lifted |= self.limited and not some
            self.limited |= some
        elif path == paths.REASSIGN_PARTITIONS:
            digest.admin.append(self._orders_written(write, after))
        elif place.place is Place.TOPIC:
            digest.topics.append(self._topic_written(place.topic, write, after))
        elif place.place is Place.STATE and place.partition is not None:
            digest.states.append(self._state_written(place.partition, write, after))
        elif place.place is Place.BROKER and (change.before is None or after is None):
            # Who has just come was away until now.
            self.gone_at[paths.broker_id(path)] = self.count
        digest.writes.append(write)

    def _epoch_written(self, write: Write, content: Content | None) -> EpochWrite:
        found, before = read(decode_controller_epoch, content, write.path), self.epoch
        epoch = found if isinstance(found, int) else None
        if epoch is not None:
            self.epoch, self.epoch_session = epoch, write.session
        return EpochWrite(*fields(write), before, epoch)

    def _topic_written(self, name: str, write: Write, content: Content | None) -> TopicWrite:
        before, after = self.topics.pop(name, None), read(decode_topic, content, write.path)
        if after is not None:
            self.topics[name] = after
        else:
            for number in before.partitions if isinstance(before, TopicZnode) else ():
                self._forget(TopicPartition(name, number))
        if isinstance(after, TopicZnode):
            self.durable_topics.setdefault((name, write.version), []).append(after)
            for number in after.partitions:
                if assignment(before, number) != assignment(after, number):
                    self.assigned_at[TopicPartition(name, number)] = self.count
        return TopicWrite(*fields(write), name, before, after)

    def _state_written(
        self, name: TopicPartition, write: Write, content: Content | None
    ) -> StateWrite:
        before, after = self.states.pop(name, None), read(decode_state, content, write.path)
        if after is not None:
            self.states[name] = after
        if isinstance(after, StateZnode):
            self.durable_states.setdefault((name, write.version), []).append(after)
        return StateWrite(*fields(write), name, before, after)

    def _orders_written(self, write: Write, content: Content | None) -> AdminWrite:
        found = read(decode_reassign_partitions, content, write.path)
        listed = found.entries if isinstance(found, ReassignPartitionsZnode) else ()
        after = {TopicPartition(each.topic, each.partition): each.replicas for each in listed}
        before = {name: order.replicas for name, order in self.orders.items()}
        return AdminWrite(*fields(write), before, after)

    def fold(self, world: Seen, digest: Digest) -> None:
        """Remember what the invariants of later steps are judged by."""
        self._fold_writes(digest)
        for done in digest.acknowledged:
            self._acknowledged(done)
        for effect in digest.happened.effects:
            if isinstance(effect, Reply | Transacted):
                self.replied.add(effect.request)
                self.moves.end(self.actor, effect.request, self.count)
        if not self.still:
            self._look_at_nodes(world)
        if self.brokers_acted:
            self.disks.fold(world, self.leads)
        if self.film is not None:
            self.film.take(world)

    def _acknowledged(self, done: Acknowledged) -> None:
        epochs = self.acknowledged.setdefault(self.actor, {})
        for op in done.ops:
            place = locate(op.path)
            if isinstance(op, Create | SetData) and place.partition is not None:
                epochs[place.partition] = decode_state(op.data, op.path).leader_epoch

    def _look_at_nodes(self, world: Seen) -> None:
        # What a node was given changes no other; what else happens may be about any.
        for name in (self.actor,) if self.actor else world.nodes:
            host = world.nodes[name]
            if host.node is None:
                self._left(name)
            elif (state := host.node.state) is not None:
                self.views[name] = state
                continue
            if self.views.pop(name, None) is not None:
                self.acknowledged.pop(name, None)

    def _fold_writes(self, digest: Digest) -> None:
        for written in digest.states:
            self._fold_state(written)
        for admin in digest.admin:
            for name, replicas in admin.after.items():
                self.moves.order(name, replicas)
            self.orders = {
                name: order
                if (order := self.orders.get(name)) is not None and order.replicas == replicas
                else Order(replicas, self.count)
                for name, replicas in admin.after.items()
            }

    def _fold_state(self, write: StateWrite) -> None:
        if write.by:
            self.meddled.discard(write.name)
        elif not write.session and self.count:
            self.meddled.add(write.name)
        match write.after:
            case StateZnode(leader=leader, leader_epoch=epoch):
                self.leads[write.name] = epoch, leader
                self.leads_ever.add((write.name, epoch, leader))
            case None if not write.by:
                self.leads.pop(write.name, None)

    def _forget(self, name: TopicPartition) -> None:
        """Let a partition that comes with a new topic of this name begin anew."""
        self.leads.pop(name, None)
        self.disks.forget(name)
        for epochs in self.acknowledged.values():
            epochs.pop(name, None)

    def assignment(self, name: TopicPartition) -> Assignment | None:
        """Return what the partition's topic znode says; None if it does not have it."""
        return assignment(self.topics.get(name.topic), name.partition)

    def isr(self, name: TopicPartition) -> tuple[int, ...]:
        """Return the ISR in the partition's state znode, if there is one that can be read."""
        state = self.states.get(name)
        return state.isr if isinstance(state, StateZnode) else ()
