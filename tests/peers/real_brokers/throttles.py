"""Replication throttles, set at the brokers by IncrementalAlterConfigs, as the stock tools do.

Sent by klamm's own codec, to each broker for itself: kafka-python refuses the broker keys, which
DescribeConfigs lists only once they are set.
"""

from __future__ import annotations

from collections.abc import Mapping

from peers.real_brokers.cluster import RealCluster
from processes import wait_until
from wire import ask

from klamm.protocol.generated.describe_configs_request import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
)
from klamm.protocol.generated.describe_configs_response import DescribeConfigsResponse
from klamm.protocol.generated.incremental_alter_configs_request import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from klamm.protocol.generated.incremental_alter_configs_response import (
    IncrementalAlterConfigsResponse,
)

TOPIC, BROKER = 2, 4
SET, DELETE = 0, 1
RATES = ("leader.replication.throttled.rate", "follower.replication.throttled.rate")
REPLICAS = ("leader.replication.throttled.replicas", "follower.replication.throttled.replicas")


def throttle(cluster: RealCluster, topic: str, sources: str, targets: str, rate: int) -> None:
    """Throttle replicas (`partition:broker,...`) to bytes/s; return once all brokers obey."""
    broker = min(cluster.brokers)
    replicas = dict(zip(REPLICAS, (sources, targets), strict=True))
    _alter(cluster.port(broker), TOPIC, topic, replicas)
    for broker in cluster.brokers:
        _alter(cluster.port(broker), BROKER, str(broker), dict.fromkeys(RATES, str(rate)))
    # Brokers take changes in order, so who knows the rate knows the topic's replicas too.
    await_rates(cluster, str(rate))


def unthrottle(cluster: RealCluster, topic: str) -> None:
    """Take all that back."""
    _alter(cluster.port(min(cluster.brokers)), TOPIC, topic, dict.fromkeys(REPLICAS))
    for broker in cluster.brokers:
        _alter(cluster.port(broker), BROKER, str(broker), dict.fromkeys(RATES))
    await_rates(cluster, None)


def await_rates(cluster: RealCluster, rate: str | None) -> None:
    """Wait until every broker goes by this rate, None for no limit."""
    wanted = dict.fromkeys(RATES, rate)
    wait_until(
        lambda: all(rates(cluster, broker) == wanted for broker in cluster.brokers),
        f"all brokers to be throttled to {rate}",
    )


def rates(cluster: RealCluster, broker: int) -> dict[str, str | None]:
    """Return the limits that a broker itself goes by."""
    resource = DescribeConfigsResource(BROKER, str(broker), RATES)
    response = ask(cluster.port(broker), DescribeConfigsRequest(resources=(resource,)), 4)
    assert isinstance(response, DescribeConfigsResponse)
    [result] = response.results
    assert result.error_code == 0, result.error_message
    found = {config.name: config.value for config in result.configs}
    return {key: found.get(key) for key in RATES}


def _alter(port: int, kind: int, name: str, configs: Mapping[str, str | None]) -> None:
    altered = tuple(
        AlterableConfig(key, DELETE if value is None else SET, value)
        for key, value in configs.items()
    )
    resource = AlterConfigsResource(kind, name, altered)
    response = ask(port, IncrementalAlterConfigsRequest(resources=(resource,)), 1)
    assert isinstance(response, IncrementalAlterConfigsResponse)
    [result] = response.responses
    assert result.error_code == 0, result.error_message
