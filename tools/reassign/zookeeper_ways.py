"""The deprecated way: --generate, --execute and --verify through ZooKeeper's nodes.

A plan is `/admin/reassign_partitions`, which the controller empties as moves end; throttles are
config nodes, each change told by a node below `/config/changes`. Moves that were asked for by
request are not seen.
Source: Kafka 2.6, core, ReassignPartitionsCommand.scala (the methods that take a KafkaZkClient),
AdminZkClient.scala (changeTopicConfig, changeBrokerConfig).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Final, TypeVar

from kazoo.client import KazooClient
from kazoo.exceptions import BadVersionError, KazooException, NodeExistsError, NoNodeError

from klamm.controller.configs.throttle_keys import FOLLOWER_RATE, LEADER_RATE, LISTS, RATES
from klamm.controller.znodes import paths
from klamm.controller.znodes.admin import (
    Reassignment,
    decode_reassign_partitions,
    encode_reassign_partitions,
)
from klamm.controller.znodes.brokers import decode_broker
from klamm.controller.znodes.config import (
    ConfigEntity,
    ConfigZnode,
    decode_config,
    encode_config,
    encode_config_change,
)
from klamm.controller.znodes.errors import ZnodeError
from klamm.controller.znodes.topic import decode_topic
from klamm.tools.admin import TopicPartition
from klamm.tools.reassign import described, generate, plan_files, texts, throttles, verify
from klamm.tools.reassign.described import Assignment
from klamm.tools.reassign.options import Dialect
from klamm.tools.reassign.output import CommandError, Output, TerseError
from klamm.tools.reassign.pacing import Targets
from klamm.tools.reassign.plan_files import Plan
from klamm.tools.reassign.state import PartitionState
from klamm.tools.reassign.submission import ExecuteOptions

T = TypeVar("T")
Change = Callable[[Mapping[str, str]], Mapping[str, str]]

CONNECT_SECONDS: Final = 30.0


class ZookeeperWays:
    """A session with the ZooKeeper of a cluster; see `opened`."""

    def __init__(self, client: KazooClient, output: Output) -> None:
        self._client = client
        self._output = output

    def generate(
        self,
        topics_json: str,
        broker_list: str,
        *,
        rack_aware: bool,
        draws: generate.Draws = generate.SYSTEM_DRAWS,
    ) -> None:
        """Print the present assignment and the proposed one; raises CommandError."""
        brokers = plan_files.parse_brokers(broker_list)
        current = self._assignment(plan_files.parse_topics(topics_json), must_exist=True)
        racks = generate.chosen(self._racks(), brokers, rack_aware)
        generate.show(current, racks, self._output, draws, rack_aware=rack_aware)

    def execute(self, plan_json: str, options: ExecuteOptions) -> None:
        """Start a plan; of the options the throttle counts. Raises TerseError too."""
        plan = plan_files.parse_plan(plan_json)
        plan_files.check_executable(plan)
        _check_no_log_dirs(plan)
        known = self._assignment(plan.topics, must_exist=False)
        self._check(plan, known)
        if self._read(paths.REASSIGN_PARTITIONS) is not None:
            raise TerseError(texts.EXISTING)
        current = described.chosen(known, plan.targets)
        self._output.say(texts.for_rollback(plan_files.format_plan(current)))
        self._output.put(rollback=plan_files.as_facts(current))
        if options.throttle >= 0:
            self._throttle(plan.targets, current, options.throttle)
        self._start(plan.targets)

    def verify(
        self, plan_json: str, *, preserve_throttles: bool, dialect: Dialect, alter: throttles.Alter
    ) -> None:
        """Print the state of each partition; clear throttles when the node is gone.

        They are config nodes, and `alter`, which asks a server, has no part in it.
        """
        plan = plan_files.parse_plan(plan_json)
        _check_no_log_dirs(plan)
        self._output.say(texts.ZOOKEEPER_INCOMPLETE)
        moving = self._moving()
        known = self._assignment(plan.topics, must_exist=False)
        states = [
            PartitionState(name, target, known.get(name, ()), moving=name in moving)
            for name, target in plan.targets.items()
        ]
        verify.say_states(states, self._output, dialect)
        if not (moving or preserve_throttles):
            self._clear(plan)

    def _check(self, plan: Plan, known: Assignment) -> None:
        missing = sorted(set(plan.targets) - set(known))
        if missing:
            raise CommandError(
                "The proposed assignment contains non-existent partitions: "
                + ", ".join(map(str, missing))
            )
        unknown = sorted(plan.brokers - set(self._racks()))
        if unknown:
            raise CommandError(
                f"The proposed assignment contains non-existent brokerIDs: {texts.ids(unknown)}"
            )

    def _start(self, targets: Targets) -> None:
        orders = [Reassignment(*name, target) for name, target in sorted(targets.items())]
        try:
            self._client.create(paths.REASSIGN_PARTITIONS, encode_reassign_partitions(orders))
        except NodeExistsError as error:
            raise TerseError(texts.EXISTING) from error
        self._output.say(texts.started([*targets]))
        self._output.put(started=[str(name) for name in sorted(targets)])

    def _throttle(self, targets: Targets, current: Assignment, rate: int) -> None:
        self._output.say(texts.RUN_VERIFY)
        moves = throttles.proposed_moves({}, targets, current)
        for topic, values in throttles.throttled_lists(moves).items():
            self._change(ConfigEntity("topics", topic), _setting(values))
        rates = dict.fromkeys((LEADER_RATE, FOLLOWER_RATE), str(rate))
        for broker in throttles.throttled_brokers(moves):
            self._change(ConfigEntity("brokers", str(broker)), _setting(rates))
        self._output.say(texts.inter_broker_throttle(rate))

    def _clear(self, plan: Plan) -> None:
        brokers = sorted({*self._racks(), *plan.brokers})
        self._output.say(texts.clearing_brokers(brokers))
        for broker in brokers:
            self._change(ConfigEntity("brokers", str(broker)), _without(RATES))
        self._output.say(texts.clearing_topics(plan.topics))
        for topic in plan.topics:
            self._change(ConfigEntity("topics", topic), _without(LISTS))
        self._output.put(cleared={"brokers": brokers, "topics": plan.topics})

    def _change(self, entity: ConfigEntity, change: Change) -> None:
        """Change a config node, and tell the brokers, if that changes anything."""
        while True:
            found = self._read(entity.path)
            data, version = (None, -1) if found is None else found
            znode = decode_config(data, entity.path)
            config = change(znode.config)
            if config == znode.config:
                return
            written = encode_config(ConfigZnode(config, znode.extra))
            try:
                if found is None:
                    self._client.create(entity.path, written, makepath=True)
                else:
                    self._client.set(entity.path, written, version)
            except (BadVersionError, NodeExistsError, NoNodeError):
                continue  # somebody else has changed it since it was read
            break
        self._client.create(
            paths.CONFIG_CHANGE_PREFIX, encode_config_change(entity), sequence=True, makepath=True
        )

    def _moving(self) -> set[TopicPartition]:
        found = self._read(paths.REASSIGN_PARTITIONS)
        if found is None:
            return set()
        orders = decode_reassign_partitions(found[0])
        return {TopicPartition(order.topic, order.partition) for order in orders.entries}

    def _assignment(self, topics: Iterable[str], *, must_exist: bool) -> Assignment:
        known = {}
        for topic in topics:
            path = paths.topic(topic)
            found = self._read(path)
            if found is None:
                if must_exist:
                    raise CommandError(f"Topic {topic} not found.")
                continue
            for number, replicas in decode_topic(found[0], path).partitions.items():
                known[TopicPartition(topic, number)] = tuple(replicas)
        return known

    def _racks(self) -> dict[int, str | None]:
        racks = {}
        try:
            names = self._client.get_children(paths.BROKER_IDS)
        except NoNodeError as error:
            raise CommandError(
                f"ZooKeeper has no {paths.BROKER_IDS}; is the chroot of --zookeeper right?"
            ) from error
        for name in names:
            path = f"{paths.BROKER_IDS}/{name}"
            found = self._read(path)
            if found is not None:  # else it has left meanwhile
                broker = decode_broker(found[0], path)
                racks[broker.id] = broker.rack
        return racks

    def _read(self, path: str) -> tuple[bytes | None, int] | None:
        """Return data and version, None without the node."""
        try:
            data, stat = self._client.get(path)
        except NoNodeError:
            return None
        return data, stat.version


@contextmanager
def opened(connect: str, output: Output) -> Iterator[ZookeeperWays]:
    """Hold a session with ZooKeeper; its faults and unreadable nodes come as CommandError."""
    client = KazooClient(connect, timeout=CONNECT_SECONDS)
    try:
        # Not start(): it warns of a chroot that is not there, which is told better below.
        client.start_async().wait(CONNECT_SECONDS)
        if not client.connected:
            raise CommandError(
                f"No ZooKeeper answers at {connect}; is the address right, and is it running?"
            )
        yield ZookeeperWays(client, output)
    except KazooException as error:
        raise CommandError(f"ZooKeeper at {connect}: {error or type(error).__name__}") from error
    except ZnodeError as error:
        raise CommandError(str(error)) from error
    finally:
        client.stop()
        client.close()


def _check_no_log_dirs(plan: Plan) -> None:
    if plan.log_dirs:
        raise CommandError(
            "bootstrap-server needs to be provided when replica reassignments are present."
        )


def _setting(values: Mapping[str, str]) -> Change:
    return lambda config: {**config, **values}


def _without(keys: Collection[str]) -> Change:
    return lambda config: {key: value for key, value in config.items() if key not in keys}
