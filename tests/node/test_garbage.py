"""Znodes that make no sense, requests that make none, and brokers and topics that come and go.

Whatever is written, the node goes on: no input ends it, and everybody who asks has one answer.
"""

import json
from collections.abc import Iterator
from random import Random
from typing import Any
from uuid import UUID

import pytest
import slow
from node_world import ENDPOINT, World, accept

from klamm.controller.core.events import (
    AlterPartition,
    AlterReassignment,
    CreatePartitions,
    CreateTopic,
    DeleteTopic,
    ElectPreferred,
    RequestEvent,
    ShutDownBroker,
)
from klamm.controller.core.ibp import by_name
from klamm.controller.core.model import TopicPartition
from klamm.controller.core.ops import ANY_VERSION, Create, Delete, SetData
from klamm.controller.core.rules import PROFILES
from klamm.controller.node import NodeConfig
from klamm.controller.node.effects import Send
from klamm.controller.node.turns import RETRY_TIMER
from klamm.controller.znodes import paths
from klamm.protocol import codec
from klamm.protocol.message import Message

BROKERS = range(1, 6)
TOPICS = "abcd"
#: Leader epochs and controller epochs: usual ones, and the last that there are.
EPOCHS = (0, 1, 5, 2**31 - 2, 2**31 - 1)


class Garbage:
    """A node, and somebody who writes anything anywhere and asks for anything; by one seed."""

    def __init__(self, seed: int) -> None:
        self.draw = draw = Random(seed)
        config = NodeConfig(
            900,
            (ENDPOINT,),
            protocol=by_name(draw.choice(["2.4-IV0", "2.7-IV2", "2.8-IV0", "3.9"])),
            rules=PROFILES[draw.choice(sorted(PROFILES))],
            leader_moves_in_flight=draw.choice([1, 100]),
            delete_topic_enable=draw.random() < 0.9,
        )
        self.world = World(config, answers=self.answer)
        self.asked: list[int] = []
        self.world.settle()

    def answer(self, send: Send) -> Message | None:
        """All that is sent can be encoded; now and then the link breaks."""
        codec.encode(send.message, send.version)
        return None if self.draw.random() < 0.05 else accept(send.message)

    # --- what is drawn ---------------------------------------------------------------------------

    def replicas(self, most: int = 3) -> list[int]:
        """Mostly brokers, also the node, and some that there can never be; perhaps twice."""
        pool = (*BROKERS, *BROKERS, 900, 7, -1)
        found = [self.draw.choice(pool) for _ in range(self.draw.randrange(most + 1))]
        return found if self.draw.random() < 0.1 else list(dict.fromkeys(found))

    def name(self) -> TopicPartition:
        return TopicPartition(self.draw.choice(TOPICS), self.draw.choice((0, 1, 2, 3, 7)))

    def topic(self) -> bytes:
        draw = self.draw
        parts = {str(n): self.replicas() for n in draw.sample(range(4), draw.randrange(4))}
        znode: dict[str, Any] = {"version": draw.choice([1, 2, 3]), "partitions": parts}
        for key in ("adding_replicas", "removing_replicas"):
            if draw.random() < 0.6:
                some = {n: [each for each in parts[n] if draw.random() < 0.4] for n in parts}
                znode[key] = {n: each for n, each in some.items() if draw.random() < 0.6}
        if draw.random() < 0.3:
            znode["topic_id"] = draw.choice(["XznsFBQYTf-jLeBtIN61JQ", "bad", None])
        return json.dumps(znode).encode() if draw.random() < 0.95 else b"{"

    def state(self) -> bytes:
        draw, isr = self.draw, self.replicas()
        znode = {
            "version": 1,
            "leader": draw.choice([*isr, -1, 1, 2]),
            "leader_epoch": draw.choice(EPOCHS),
            "isr": isr,
            "controller_epoch": draw.choice(EPOCHS),
        }
        return json.dumps(znode).encode() if draw.random() < 0.95 else b""

    def request(self) -> Iterator[RequestEvent]:
        draw, topic = self.draw, self.draw.choice(TOPICS)
        match draw.randrange(7):
            case 0:
                for _ in range(draw.randrange(1, 4)):
                    target = tuple(self.replicas()) if draw.random() < 0.8 else None
                    yield AlterReassignment(self.name(), target)
            case 1:
                lists = {n: tuple(self.replicas()) for n in range(draw.choice((0, 0, 2)))}
                counts = (draw.choice([1, 2, -1]), draw.choice([1, 2, -1]))
                id_ = UUID(int=draw.randrange(1, 99))
                yield CreateTopic(topic, *counts, lists, {}, 0, 0, topic_id=id_)
            case 2:
                lists = {n: tuple(self.replicas()) for n in range(2)}
                given = tuple(lists.values()) if draw.random() < 0.4 else None
                yield CreatePartitions(topic, draw.randrange(1, 6), given)
            case 3:
                yield DeleteTopic(topic)
            case 4:
                yield ElectPreferred(self.name())
            case 5:
                yield ShutDownBroker(draw.choice(BROKERS), -1)
            case _:
                yield from self.wish()

    def wish(self) -> Iterator[AlterPartition]:
        """A leader, or somebody else, asks for an ISR."""
        name, state = self.name(), self.world.node.state
        part = state.partition(name) if state else None
        if state is None or part is None or part.leadership is None or not state.brokers:
            return
        broker, held = self.draw.choice(list(state.brokers.values())), part.leadership
        sender = self.draw.choice([broker.id, held.leader])
        isr = tuple(self.replicas())
        yield AlterPartition(name, sender, broker.epoch, held.leader_epoch, held.version, isr)

    # --- what is done ----------------------------------------------------------------------------

    def write(self, path: str, data: bytes) -> None:
        if self.world.exists(path):
            self.world.write(SetData(path, data, ANY_VERSION))
            return
        parent = path.rpartition("/")[0]
        if not self.world.exists(parent):
            self.write(parent, b"")
        self.world.write(Create(path, data))

    def remove(self, path: str) -> None:
        nodes = self.world.zookeeper.tree.nodes
        below = [each for each in nodes if each == path or each.startswith(f"{path}/")]
        for each in sorted(below, key=len, reverse=True):
            self.world.write(Delete(each, ANY_VERSION))

    def bounce(self) -> None:
        path = paths.broker(broker := self.draw.choice(BROKERS))
        if self.world.exists(path):
            self.world.unregister(broker)
        else:
            self.world.register(broker)

    def notify(self) -> None:
        part = {"topic": self.draw.choice(TOPICS), "partition": self.draw.randrange(5)}
        text = json.dumps({"version": 1, "partitions": [part]}).encode()
        path = f"{paths.ISR_CHANGE_PREFIX}{self.draw.randrange(10**6):010}"
        self.write(path, text if self.draw.random() < 0.8 else b"x")

    def disturb(self) -> None:
        world = self.world
        if self.draw.random() < 0.3 and world.store.connected:
            world.zookeeper.expire(world.store)
        elif world.idle:
            world.zookeeper.disconnect(world.store, late=self.draw.random() < 0.5)

    def step(self) -> None:
        draw, name = self.draw, self.name()
        match draw.randrange(20):
            case 0 | 1 | 2:
                self.write(paths.topic(name.topic), self.topic())
            case 3 | 4:
                self.write(paths.state(*name), self.state())
            case 5:
                topic = name.topic
                whole = (paths.topic(topic), paths.partitions(topic))
                self.remove(draw.choice((*whole, paths.partition(*name), paths.state(*name))))
            case 6:
                self.bounce()
            case 7:
                self.write(paths.delete_topic(name.topic), b"")
            case 8:
                self.notify()
            case 9:
                self.disturb() if draw.random() < 0.5 else self.garble_counter()
            case _:
                self.asked.append(self.world.request(*self.request()))
        for _ in range(draw.randrange(5)):
            self.world.step()
        if draw.random() < 0.2:
            self.run_timers()

    def garble_counter(self) -> None:
        self.write(paths.KLAMM_COMMIT, self.draw.choice([b"x", b"", b"{}"]))

    def run_timers(self) -> None:
        for timer in list(self.world.timers):
            self.world.run_timer(timer)


def live(seed: int) -> None:
    garbage = Garbage(seed)
    world = garbage.world
    for _ in range(40):
        garbage.step()
    world.settle()
    for _ in range(10):
        garbage.run_timers()
        world.settle()
    assert world.node.active, seed
    state = world.node.state
    assert state is not None
    waiting = any(deletion.waiters for deletion in state.deleting.values())
    replies = [len(world.replies.get(request, ())) for request in garbage.asked]
    assert max(replies, default=1) == 1, seed
    assert waiting or min(replies, default=1) == 1, seed
    assert RETRY_TIMER not in world.timers, (seed, world.journal[-3:])


@pytest.mark.parametrize("start", [0, 1000])
def test_a_node_lives_through_whatever_is_written(start: int) -> None:
    for seed in range(start, start + 50):
        live(seed)


@pytest.mark.slow
def test_a_node_lives_through_whatever_is_written_for_longer() -> None:
    for seed in range(slow.examples(1500)):
        live(seed)
