"""What is advertised as which release of Kafka."""

import pytest
from kafka.protocol.broker_version_data import BROKER_API_VERSIONS

from klamm.controller.handlers.releases import DEFAULT, HISTORY, RELEASES, versions_of
from klamm.controller.handlers.switches import KEYS, PRIVATE, Switch
from klamm.controller.handlers.table import HANDLERS, PUBLIC, advertised

#: What the brokers of a ZooKeeper cluster ask their controller; shown whatever the release.
BETWEEN_BROKERS = {7, 56, 67}
#: Of Produce klamm has the codec of 3.9, and no data plane that anybody could need more of.
CAPPED = {0}


def pairs(table: dict[int, range]) -> dict[int, tuple[int, int]]:
    return {key: (versions[0], versions[-1]) for key, versions in table.items()}


@pytest.mark.parametrize("release", RELEASES)
def test_the_facts_are_those_of_another_client(release: str) -> None:
    """kafka-python has the ranges that brokers of each release were seen to advertise."""
    major, minor = map(int, release.split("."))
    seen = BROKER_API_VERSIONS[major, minor]
    assert pairs(versions_of(release)) == {key: seen[key] for key in HISTORY if key in seen}


@pytest.mark.parametrize("release", RELEASES)
def test_every_key_that_klamm_has_is_shown_as_the_release_does(release: str) -> None:
    table, facts = advertised(release=release), versions_of(release)
    for key in HANDLERS.keys() - PRIVATE - BETWEEN_BROKERS:
        if key in CAPPED:
            assert table[key] == range(facts[key].start, min(facts[key].stop, 12))
        else:
            assert table.get(key) == facts.get(key), key


@pytest.mark.parametrize("release", RELEASES)
def test_what_brokers_ask_is_shown_as_any_release(release: str) -> None:
    table = advertised(release=release)
    assert {key: table[key] for key in BETWEEN_BROKERS} == {
        7: range(4), 56: range(4), 67: range(1),
    }  # fmt: skip


def test_every_public_key_has_its_history() -> None:
    assert set(PUBLIC) <= HISTORY.keys() | BETWEEN_BROKERS


def test_keys_of_klamms_own_are_shown_to_those_who_are_told() -> None:
    assert not PRIVATE & advertised().keys()
    for switch in Switch:
        shown = advertised(switches={switch})
        changed = {key for key in shown if shown[key] != advertised().get(key)}
        assert changed == set(KEYS[switch]), switch
        assert all(shown[key].start == 0 for key in changed & PRIVATE)
        assert advertised((), switches={switch}) == {key: shown[key] for key in changed}


@pytest.mark.req("R435-58")
@pytest.mark.parametrize("release", RELEASES)
def test_version_1_of_list_is_shown_to_those_who_are_told_alone(release: str) -> None:
    known = advertised(release=release)
    assert known.get(46, range(1)) == range(1)
    switched_on = advertised(release=release, switches={Switch.LIST_V1})
    assert switched_on == {**known, 46: range(2)}


def test_the_default_is_the_last_release_with_zookeeper() -> None:
    assert DEFAULT == "3.9"
    assert advertised() == advertised(release="3.9")
    assert (advertised()[45], advertised()[3][-1], advertised()[60][-1]) == (range(1), 12, 1)
    assert 75 not in advertised()


def test_the_newest_has_what_the_proposals_after_it_brought() -> None:
    table = advertised(release="4.1")
    assert (table[45], table[3], table[60], table[75]) == (range(2), range(14), range(3), range(1))
    assert advertised(release="4.0")[45] == range(1)
    assert {45, 46, 60} & advertised(release="2.3").keys() == set()


def test_there_are_no_other_releases() -> None:
    with pytest.raises(ValueError, match=r"no release of Kafka '5\.0': one of 2\.3, .*, 4\.1 is"):
        advertised(release="5.0")
