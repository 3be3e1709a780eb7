"""The world of a rehearsal: the lab's metered one, with a user's cluster on its stage."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from hashlib import blake2b

from klamm.controller.configs.throttle_keys import FOLLOWER_RATE, LEADER_RATE
from klamm.controller.core.model import NO_LEADER, TopicPartition
from klamm.controller.znodes import paths
from klamm.controller.znodes.controller import decode_controller
from klamm.controller.znodes.state import StateZnode
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.incremental_alter_configs_request import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from klamm.protocol.generated.incremental_alter_configs_response import (
    IncrementalAlterConfigsResponse,
)
from klamm.protocol.message import Message
from klamm.tools.lab.clients import AskFor
from klamm.tools.lab.evidence.metered import MeteredWorld
from klamm.tools.reassign.throttles import proposed_moves, throttled_lists
from klamm.tools.rehearsal.gauge import Gauge
from klamm.tools.rehearsal.health import Health
from klamm.tools.rehearsal.site import StageSite, least_seconds

#: Kafka's ConfigResource.Type, and AlterConfigOp.OpType.
_TOPIC, _BROKER, _SET = 2, 4, 0
#: A run has about so many looks, which are so many seconds apart at least, and at most.
_LOOKS, _SHORTEST, _LONGEST = 100, 0.1, 600.0
#: How long a client tries to find a controller, in seconds.
_PATIENCE = 600


class RehearsalWorld(MeteredWorld):
    """A user's cluster, its dead brokers dead, with min.insync.replicas and throttle set.

    `began` is the time of its first moment, `fault_due` when a fault has something to do, and
    `health` what was wrong with partitions. `digest` sums up all that ZooKeeper was told, and when.
    """

    gauge: Gauge

    def __init__(self, site: StageSite) -> None:
        self.stage = site
        self.fault_due = math.inf
        self.health = Health()
        self.skews: list[float] = []
        self.began = 0.0
        self._digest = blake2b(digest_size=16)
        self.written_at = 0.0
        every = max(_SHORTEST, min(least_seconds(site.spec) / _LOOKS, _LONGEST))
        self.metering = partial(Gauge, every=every)
        super().__init__(site, checked=site.spec.checked)
        for id_ in site.spec.stage.dead:
            self.do(f"kill b{site.number(id_)}")
            self.settle()
        self._configure()
        self._start()

    def _open(self) -> None:
        super()._open()
        for each in self.stage.spec.stage.reserved:
            reserved = self.cluster.replication.reserved
            reserved[self.stage.number(each.broker)] = each.into, each.out

    def _start(self) -> None:
        """Begin to measure."""
        assert isinstance(self.meter, Gauge), "it is made by this class"
        every = self.meter.every
        self.meter = self.gauge = Gauge(self.site, self.now, every)
        self.began = self.written_at = self.now
        self.health = Health()
        for name in self.states:
            self._judge(name)
        self.skews = [self._skew()]

    # --- configs -----------------------------------------------------------------------------

    def _configure(self) -> None:
        """Set min.insync.replicas of each topic, and the throttle that the plan runs with."""
        spec = self.stage.spec
        topics: dict[str, dict[str, str]] = {topic: {} for topic in self.stage.assignments}
        for name, each in self.stage.by_name.items():
            configs = topics[name.topic]
            need = max(each.min_isr, int(configs.get("min.insync.replicas", 1)))
            configs["min.insync.replicas"] = str(need)
        rates: dict[str, str] = {}
        if spec.throttle is not None:
            current = {
                name: self.stage.assignments[name.topic][name.partition] for name in self.site.plan
            }
            moves = proposed_moves({}, self.site.plan, current)
            for topic, lists in throttled_lists(moves).items():
                topics[topic].update(lists)
            rates = {key: str(spec.throttle) for key in (LEADER_RATE, FOLLOWER_RATE)}
        resources = [_resource(_TOPIC, topic, configs) for topic, configs in topics.items()]
        if rates:
            # Of all brokers, for it is the lists that say which replicas are held back.
            resources.append(_resource(_BROKER, "", rates))
        body = IncrementalAlterConfigsRequest(tuple(resources))
        answer = self.told(AskFor("set configs", 1, body))
        assert isinstance(answer, IncrementalAlterConfigsResponse)
        for result in answer.responses:
            if result.error_code != ErrorCode.NONE:
                text = f"{result.error_code} {result.error_message or ''}"
                raise ValueError(f"{result.resource_name}: {text}")

    # --- clients -----------------------------------------------------------------------------

    @property
    def in_office(self) -> str | None:
        """The name of the node that is the controller; None while there is none."""
        znode = self.tree.nodes.get(paths.CONTROLLER)
        name = self.name_of(decode_controller(znode.data).broker_id) if znode is not None else ""
        return name if name and self.nodes[name].alive else None

    def told(self, what: AskFor) -> Message:
        """Ask the controller, whoever that is, as a client does that looks for it."""
        for _ in range(_PATIENCE):
            node = self.in_office
            if node is not None:
                asked = self.ask(node, what)
                self.settle()
                if asked.responses and _is_answer(asked.responses[0]):
                    return asked.responses[0]
            self.hop(self.now + 1.0)
        raise LookupError(f"no controller has answered {what.name} for {_PATIENCE} s")

    # --- time and znodes ---------------------------------------------------------------------

    def _due(self) -> float:
        return min(super()._due(), max(self.now, self.fault_due))

    def _written(self, path: str, data: bytes | None) -> None:
        self._digest.update(f"{self.now!r} {path} ".encode())
        self._digest.update(data or b"")
        self.written_at = self.now
        super()._written(path, data)
        if path.startswith(_TOPICS) and path.count("/") == _TOPICS.count("/"):
            topic = path.removeprefix(_TOPICS)
            for number in self.topics[topic].partitions:
                self._judge(TopicPartition(topic, number))

    def _led(self, name: TopicPartition, state: StateZnode) -> None:
        super()._led(name, state)
        self._judge(name)

    def _judge(self, name: TopicPartition) -> None:
        """Tell whether a partition is well: by its state and assignment as they are now."""
        state, topic = self.states.get(name), self.topics.get(name.topic)
        if state is None or topic is None or name.partition not in topic.partitions:
            return
        leaderless = state.leader == NO_LEADER
        short = leaderless or len(state.isr) < self.site.in_sync_needed(name)
        self.health.short.note(self.now, name, short)
        self.health.leaderless.note(self.now, name, leaderless)
        # Source: Kafka 3.9, Partition.isUnderReplicated (KIP-352): a count, without those added.
        adding = topic.adding.get(name.partition, ())
        wanted = len(topic.partitions[name.partition]) - len(adding)
        self.health.note_urp(name, len(state.isr) < wanted)

    # --- to look at --------------------------------------------------------------------------

    @property
    def trace_hash(self) -> str:
        """Sum up all that ZooKeeper was told, and when."""
        return self._digest.hexdigest()

    def living(self) -> Iterator[int]:
        """Yield the brokers that run, by their numbers."""
        return (number for number, host in sorted(self.brokers.items()) if host.alive)

    def note_skew(self) -> None:
        """Look at who leads."""
        self.skews.append(self._skew())

    def _skew(self) -> float:
        """Return the most partitions that a living broker leads over their mean."""
        leads = dict.fromkeys(self.living(), 0)
        for each in self.stage.spec.stage.reserved:
            number = self.stage.number(each.broker)
            if number in leads:
                leads[number] += each.leads
        for state in self.states.values():
            if state.leader in leads:
                leads[state.leader] += 1
        total = sum(leads.values())
        return max(leads.values()) * len(leads) / total if total else 1.0


_TOPICS = paths.topic("")


def _resource(kind: int, name: str, values: dict[str, str]) -> AlterConfigsResource:
    configs = tuple(AlterableConfig(key, _SET, value) for key, value in values.items())
    return AlterConfigsResource(kind, name, configs)


def _is_answer(response: Message) -> bool:
    return getattr(response, "error_code", ErrorCode.NONE) != ErrorCode.NOT_CONTROLLER
