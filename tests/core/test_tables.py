"""Tables of facts: protocol versions by IBP, sizes of what is written, defaults."""

from itertools import pairwise

import pytest

from klamm.controller.core.ibp import DEFAULT, KNOWN, InterBrokerProtocol, by_name
from klamm.controller.core.rules import APACHE_3_9
from klamm.controller.core.settings import Settings


@pytest.mark.parametrize(
    ("name", "leader_and_isr", "update_metadata", "stop_replica", "alter_partition", "topic_ids"),
    [
        ("2.2-IV0", 2, 5, 1, False, False),
        ("2.3-IV1", 2, 5, 1, False, False),
        ("2.4-IV0", 3, 5, 1, False, False),
        ("2.4-IV1", 4, 6, 2, False, False),
        ("2.5-IV0", 4, 6, 2, False, False),
        ("2.6-IV0", 4, 6, 3, False, False),
        ("2.7-IV1", 4, 6, 3, False, False),
        ("2.7-IV2", 4, 6, 3, True, False),
        ("2.8-IV0", 4, 6, 3, True, True),
        ("2.8-IV1", 5, 7, 3, True, True),
        ("3.1-IV0", 5, 7, 3, True, True),
        ("3.2-IV0", 6, 7, 3, True, True),
        ("3.3-IV3", 6, 7, 3, True, True),
        ("3.4-IV0", 7, 8, 4, True, True),
        ("3.9-IV0", 7, 8, 4, True, True),
    ],
)
def test_versions_follow_the_protocol(
    name: str,
    leader_and_isr: int,
    update_metadata: int,
    stop_replica: int,
    alter_partition: bool,
    topic_ids: bool,
) -> None:
    assert by_name(name) == InterBrokerProtocol(
        name, leader_and_isr, update_metadata, stop_replica, alter_partition, topic_ids
    )


def test_versions_only_ever_rise() -> None:
    for older, newer in pairwise(KNOWN):
        for field in ("leader_and_isr", "update_metadata", "stop_replica", "alter_partition"):
            assert getattr(older, field) <= getattr(newer, field), (older, newer)
        assert older.topic_ids <= newer.topic_ids


def test_a_release_means_the_last_of_its_protocols() -> None:
    assert by_name("2.4").name == "2.4-IV1"
    assert by_name("2.8").name == "2.8-IV1"
    assert by_name("3.9").name == "3.9-IV0"
    assert DEFAULT is by_name("2.4-IV0")
    assert [each.name for each in KNOWN] == sorted(each.name for each in KNOWN)


@pytest.mark.parametrize("name", ["", "2", "2.4-IV", "2.4-IV2", "3.10", "4.0-IV0"])
def test_an_unknown_protocol_is_refused_with_the_releases_that_are_known(name: str) -> None:
    with pytest.raises(ValueError, match=r"unknown inter\.broker\.protocol\.version") as caught:
        by_name(name)
    assert repr(name) in str(caught.value)
    releases = {protocol.name.partition("-")[0] for protocol in KNOWN}
    assert all(f" {release}," in str(caught.value) for release in releases)


def test_topic_znodes_carry_the_number_of_their_time() -> None:
    assert by_name("2.7-IV2").topic_znode_version == 2
    assert by_name("2.8-IV0").topic_znode_version == 3


def test_new_topics_get_one_partition_and_one_replica_unless_configured() -> None:
    assert Settings() == Settings(APACHE_3_9, 2, 1, 1)
