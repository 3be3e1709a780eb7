"""What can be seen of simulated brokers from outside: sizes, rates, roles, throttles, moves.

Values for a page, a table or JSON; bytes, bytes per second and seconds, all from one moment. What
is unlimited is None.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from klamm.tools.brokers.cluster import Cluster
from klamm.tools.brokers.model import BrokerModel
from klamm.tools.brokers.replica import Replica
from klamm.tools.brokers.replication import Fetched


@dataclass(frozen=True, slots=True)
class Roles:
    """How many partitions a broker leads, follows in sync, and follows out of sync."""

    leads: int = 0
    in_sync: int = 0
    out_of_sync: int = 0


@dataclass(frozen=True, slots=True)
class Copying:
    """A replica that is to have what its leader has: `done` bytes of `total` are here.

    `leader` is -1 if there is none. `throttled`: the follower's throttle list names it.
    """

    topic: str
    partition: int
    leader: int
    done: int
    total: int
    throttled: bool = False


@dataclass(frozen=True, slots=True)
class ThrottleStatus:
    """A broker's throttle rates, and how many hosted partitions each role's lists name."""

    leader_rate: float | None
    follower_rate: float | None
    leader_partitions: int
    follower_partitions: int


@dataclass(frozen=True, slots=True)
class BrokerStatus:
    """One broker. `fetch_limit` and `pause` are set if it lags by order; see `Cluster`.

    `adding` are the replicas that moves add to it, `behind` all others that are out of sync.
    `counters` have the names of Kafka's metrics (ReplicaManager.scala, BrokerTopicStats.scala):
    bytes that moves have brought to it, and taken from it as a leader, since the beginning.
    """

    id: int
    running: bool
    frozen: bool
    fetch_limit: float | None
    pause: float | None
    bytes: int
    fetch_rate: float
    serve_rate: float
    produce_rate: float
    fetched_adding: int
    fetched_others: int
    counters: Mapping[str, int]
    roles: Roles
    throttles: ThrottleStatus
    log_dirs: Mapping[str, bool]
    adding: tuple[Copying, ...]
    behind: tuple[Copying, ...]


def status(cluster: Cluster, broker: int) -> BrokerStatus:
    """Look at one broker, running or not, at the time of the cluster's last call."""
    logs = cluster.logs(broker)
    model = cluster.brokers.get(broker)
    replication = cluster.replication
    fetch_rate, serve_rate = replication.rates().get(broker, (0.0, 0.0))
    fetched = replication.fetched.get(broker, Fetched())
    led = [replica.name for replica in model.replicas.values() if replica.leads] if model else []
    return BrokerStatus(
        id=broker,
        running=model is not None,
        frozen=broker in replication.frozen,
        fetch_limit=replication.slow.get(broker),
        pause=replication.pauses.seconds(broker),
        bytes=sum(log.end for log in logs.values()),
        fetch_rate=fetch_rate,
        serve_rate=serve_rate,
        produce_rate=sum(map(replication.producers.rate, led), 0.0),
        fetched_adding=fetched.adding,
        fetched_others=fetched.others,
        counters={
            "ReassignmentBytesInPerSec": fetched.adding,
            "ReassignmentBytesOutPerSec": replication.served_adding.get(broker, 0),
        },
        roles=_roles(cluster, model) if model else Roles(),
        throttles=_throttles(model),
        log_dirs=cluster.directories(broker),
        adding=tuple(_copying(cluster, model, adding=True)) if model else (),
        behind=tuple(_copying(cluster, model, adding=False)) if model else (),
    )


def _roles(cluster: Cluster, model: BrokerModel) -> Roles:
    leads = in_sync = out_of_sync = 0
    for replica in model.replicas.values():
        if replica.leads:
            leads += 1
        elif _in_sync(cluster, replica):
            in_sync += 1
        else:
            out_of_sync += 1
    return Roles(leads, in_sync, out_of_sync)


def _copying(cluster: Cluster, model: BrokerModel, *, adding: bool) -> Iterator[Copying]:
    """Tell of the replicas that moves add, or of the others that are out of sync."""
    for name, replica in sorted(model.replicas.items()):
        if (model.id in replica.adding) is not adding:
            continue
        if not adding and (replica.leads or _in_sync(cluster, replica)):
            continue
        leader = _leader(cluster, replica)
        cluster.replication.sync((name,))
        total = leader.log.end if leader is not None else replica.log.end
        throttled = model.throttles.follows(name)
        yield Copying(*name, replica.leader, min(replica.log.end, total), total, throttled)


def _in_sync(cluster: Cluster, replica: Replica) -> bool:
    leader = _leader(cluster, replica)
    return leader is not None and replica.broker in leader.isr


def _leader(cluster: Cluster, replica: Replica) -> Replica | None:
    leader = cluster.brokers.get(replica.leader)
    led = leader.replicas.get(replica.name) if leader else None
    return led if led is not None and led.leads else None


def _throttles(model: BrokerModel | None) -> ThrottleStatus:
    if model is None:
        return ThrottleStatus(None, None, 0, 0)
    throttles, replicas = model.throttles, model.replicas.values()
    return ThrottleStatus(
        _finite(throttles.quotas.leader),
        _finite(throttles.quotas.follower),
        sum(replica.leads and throttles.leads(replica.name) for replica in replicas),
        sum(not replica.leads and throttles.follows(replica.name) for replica in replicas),
    )


def _finite(rate: float) -> float | None:
    return rate if rate < math.inf else None
