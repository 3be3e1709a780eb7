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
    """A replica that is being added: `done` bytes of `total` are here."""

    topic: str
    partition: int
    leader: int
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class ThrottleStatus:
    """A broker's throttle rates, and how many hosted partitions each role's lists name."""

    leader_rate: float | None
    follower_rate: float | None
    leader_partitions: int
    follower_partitions: int


@dataclass(frozen=True, slots=True)
class BrokerStatus:
    """One broker. `fetch_limit` and `pause` are set if it lags by order; see `Cluster`."""

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
    roles: Roles
    throttles: ThrottleStatus
    log_dirs: Mapping[str, bool]
    adding: tuple[Copying, ...]


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
        roles=_roles(cluster, model) if model else Roles(),
        throttles=_throttles(model),
        log_dirs=cluster.directories(broker),
        adding=tuple(_adding(cluster, model)) if model else (),
    )


def _roles(cluster: Cluster, model: BrokerModel) -> Roles:
    leads = in_sync = out_of_sync = 0
    for replica in model.replicas.values():
        leader = _leader(cluster, replica)
        if replica.leads:
            leads += 1
        elif leader is not None and model.id in leader.isr:
            in_sync += 1
        else:
            out_of_sync += 1
    return Roles(leads, in_sync, out_of_sync)


def _adding(cluster: Cluster, model: BrokerModel) -> Iterator[Copying]:
    for name, replica in sorted(model.replicas.items()):
        if model.id not in replica.adding:
            continue
        leader = _leader(cluster, replica)
        cluster.replication.sync((name,))
        total = leader.log.end if leader is not None else replica.log.end
        yield Copying(*name, replica.leader, min(replica.log.end, total), total)


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
