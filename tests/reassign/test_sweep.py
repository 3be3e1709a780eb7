"""Which throttles are left over, by table."""

import pytest

from klamm.controller.configs.throttle_keys import (
    FOLLOWER_LIST,
    FOLLOWER_RATE,
    LEADER_LIST,
    LEADER_RATE,
    LOG_DIR_RATE,
)
from klamm.tools.admin import (
    ConfigEntry,
    ConfigResource,
    ConfigSource,
    ResourceType,
    TopicPartition,
)
from klamm.tools.reassign.sweep import leftovers

TOPIC = ConfigSource.DYNAMIC_TOPIC_CONFIG
BROKER = ConfigSource.DYNAMIC_BROKER_CONFIG
A, B = (ConfigResource(ResourceType.TOPIC, name) for name in "ab")
ONE, TWO = (ConfigResource(ResourceType.BROKER, name) for name in "12")


def entries(source: ConfigSource, **values: str) -> dict[str, ConfigEntry]:
    names = {"ll": LEADER_LIST, "fl": FOLLOWER_LIST, "lr": LEADER_RATE, "fr": FOLLOWER_RATE}
    names["io"] = LOG_DIR_RATE
    return {
        names.get(key, key): ConfigEntry(names.get(key, key), value, source, False, False)
        for key, value in values.items()
    }


CONFIGS = {
    A: entries(TOPIC, ll="0:1", fl="0:2", retention="5"),
    B: entries(TOPIC, fl="*"),
    ONE: entries(BROKER, lr="5", fr="5", io="7"),
    TWO: entries(BROKER, io="7"),
}
LISTS = [(A, LEADER_LIST), (A, FOLLOWER_LIST), (B, FOLLOWER_LIST)]
RATES = [(ONE, LEADER_RATE), (ONE, FOLLOWER_RATE)]


@pytest.mark.parametrize(
    ("moving", "copying", "found"),
    [
        (
            [],
            [],
            [*LISTS, *RATES, (ONE, LOG_DIR_RATE), (TWO, LOG_DIR_RATE)],
        ),
        ([], [1], [*LISTS, *RATES, (TWO, LOG_DIR_RATE)]),
        ([TopicPartition("a", 9)], [1, 2], [LISTS[2]]),
        ([TopicPartition("c", 0)], [2], [*LISTS, (ONE, LOG_DIR_RATE)]),
    ],
)
def test_what_nothing_needs_is_left_over(
    moving: list[TopicPartition], copying: list[int], found: list[tuple[ConfigResource, str]]
) -> None:
    left = leftovers(CONFIGS, moving, copying)
    assert [(each.resource, each.key) for each in left] == found


@pytest.mark.parametrize(
    "source",
    [
        ConfigSource.DEFAULT_CONFIG,
        ConfigSource.STATIC_BROKER_CONFIG,
        ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG,
    ],
)
def test_what_was_not_set_for_this_broker_stays(source: ConfigSource) -> None:
    assert [*leftovers({ONE: entries(source, lr="5", io="9")}, [], [])] == []


def test_an_empty_list_is_none() -> None:
    assert [*leftovers({A: entries(TOPIC, ll="")}, [], [])] == []
