"""What a world contains, what may be asked in it and go wrong, and when a run is over."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from klamm.controller.core.ibp import DEFAULT, InterBrokerProtocol
from klamm.controller.core.model import TopicPartition
from klamm.controller.core.rules import APACHE_3_9, Rules
from klamm.tools.lab.choices import Rates
from klamm.tools.lab.clients import AskFor

Assignments = Mapping[str, Mapping[int, tuple[int, ...]]]

SETTLES = "all settles"


@dataclass(frozen=True, slots=True)
class Limits:
    """When a run is over.

    Up to `steps` steps with faults; then, without any, up to `rest_steps` more in at most
    `rest_seconds` of the world's time, by which everything must have come to rest.
    """

    steps: int = 150
    rest_steps: int = 20_000
    rest_seconds: float = 600.0


@dataclass(frozen=True, slots=True)
class Scope:
    """One kind of world.

    `nodes` and `brokers` are how many there are: n1, n2, ... with the ids 901, 902, ..., and b1,
    b2, ... with the ids 1, 2, ... `topics` are there from the beginning, by name, partition and
    replicas; each partition holds `partition_bytes`, or what `topic_bytes` has for its topic, or
    `log_bytes` for itself, and producers write `produce_rate` bytes per second to each. Brokers
    replicate `bandwidth` bytes per second each way, and one replica that lags at most `copy_rate`;
    every `report_seconds` they tell the controller what followers have fetched.

    `asks` are the requests that clients may make, at most `asks_most` of them, and `faults` how
    often each kind of fault may happen, by its id. `tools` are the recipes that a rogue tool may
    follow (`klamm.tools.lab.rogue`). `recoveries`: what failed comes back by itself also while
    faults go on. `all_return`: in the end all nodes come back; otherwise one is enough, and those
    that are down stay so. `opening` are actions done in the beginning, before anything is left to
    chance; where it says `SETTLES`, all happens that would by itself.
    """

    name: str
    story: str
    nodes: int = 2
    brokers: int = 3
    topics: Assignments = field(default_factory=dict)
    asks: tuple[AskFor, ...] = ()
    asks_most: int = 3
    faults: Mapping[str, int] = field(default_factory=dict)
    tools: tuple[str, ...] = ()
    rates: Rates = Rates()
    limits: Limits = Limits()
    rules: Rules = APACHE_3_9
    protocol: InterBrokerProtocol = DEFAULT
    log_dirs: tuple[str, ...] = ("/data",)
    partition_bytes: int = 1_000
    produce_rate: float = 0.0
    topic_bytes: Mapping[str, int] = field(default_factory=dict)
    log_bytes: Mapping[TopicPartition, int] = field(default_factory=dict)
    bandwidth: float = 1e9
    copy_rate: float = math.inf
    report_seconds: float = math.inf
    auto_leader_rebalance: bool = False
    leader_moves_in_flight: int = 100
    recoveries: bool = True
    all_return: bool = True
    opening: tuple[str, ...] = ()
