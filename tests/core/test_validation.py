"""What is refused, in which order, with which text (behaviour of Kafka 3.9's checks 4 to 10)."""

import pytest

from klamm.controller.core.model import Assignment, Partition
from klamm.controller.core.results import Fault, Refusal
from klamm.controller.core.rules import APACHE_3_9, KIP_455, PROFILES, Rules

ONLINE = frozenset({1, 2, 3, 4})
IDLE = Partition(Assignment((1, 2, 3)))
MOVING = Partition(Assignment((4, 3, 2, 1), (4,), (1,)))
#: Broker 9 is a replica and offline.
LAME = Partition(Assignment((1, 9)))

EMPTY = "Empty replica list specified in partition reassignment."
DOUBLED = "Duplicate replica ids in partition reassignment replica list"
NEGATIVE = "Invalid broker id in replica list"
DEAD = "Replica assignment has brokers that are not alive. Replica list:"
MISSING = "The partition does not exist."
IDLE_TEXT = "No partition reassignment is in progress."

BAD = Fault.INVALID_REPLICA_ASSIGNMENT
UNKNOWN = Fault.UNKNOWN_TOPIC_OR_PARTITION
NOTHING = Fault.NO_REASSIGNMENT_IN_PROGRESS

Target = tuple[int, ...] | None


def refusal(rules: Rules, partition: Partition | None, target: Target) -> Refusal | None:
    return rules.validate(partition, target, ONLINE)


@pytest.mark.parametrize("rules", PROFILES.values(), ids=PROFILES)
@pytest.mark.parametrize(
    ("partition", "target", "fault", "text"),
    [
        pytest.param(IDLE, (), BAD, EMPTY, marks=pytest.mark.req("R455-17")),
        pytest.param(MOVING, (), BAD, EMPTY, marks=pytest.mark.req("R455-17")),
        pytest.param(IDLE, (1, 1), BAD, DOUBLED, marks=pytest.mark.req("R455-18")),
        pytest.param(IDLE, (1, -2), BAD, NEGATIVE, marks=pytest.mark.req("R455-19")),
        (IDLE, (1, 9), BAD, DEAD),
        pytest.param(None, (1, 2), UNKNOWN, MISSING, marks=pytest.mark.req("R455-21")),
        (IDLE, None, NOTHING, IDLE_TEXT),
        # The first fault that is looked for is the one that is told.
        (IDLE, (-1, -1, 9), BAD, DOUBLED),
        (IDLE, (-1, 9), BAD, NEGATIVE),
    ],
)
def test_both_profiles_refuse(
    rules: Rules, partition: Partition | None, target: Target, fault: Fault, text: str
) -> None:
    refused = refusal(rules, partition, target)
    assert refused is not None
    assert refused.fault is fault
    assert refused.message.startswith(text)


@pytest.mark.parametrize("rules", PROFILES.values(), ids=PROFILES)
@pytest.mark.parametrize(
    ("partition", "target"),
    [(IDLE, (4, 3, 2)), (IDLE, (3, 2, 1)), (IDLE, (1,)), (MOVING, (1, 2)), (MOVING, None)],
)
def test_both_profiles_accept(rules: Rules, partition: Partition, target: Target) -> None:
    assert refusal(rules, partition, target) is None


@pytest.mark.req("R455-20")
def test_a_dead_broker_that_is_kept_is_accepted_by_kafka_and_refused_by_the_kip() -> None:
    assert refusal(APACHE_3_9, LAME, (9, 2)) is None
    refused = refusal(KIP_455, LAME, (9, 2))
    assert refused is not None
    assert refused.message == f"{DEAD} [9], live broker list: [1, 2, 3, 4]"
    refused = refusal(APACHE_3_9, LAME, (1, 8, 9))
    assert refused is not None
    assert refused.message == f"{DEAD} [8], live broker list: [1, 2, 3, 4]"


def test_a_dead_broker_that_is_only_being_added_is_not_kept() -> None:
    moving_to_dead = Partition(Assignment((9, 1), (9,)))
    refused = refusal(APACHE_3_9, moving_to_dead, (9, 1))
    assert refused is not None
    assert refused.message.startswith(DEAD)


@pytest.mark.req("R455-22")
def test_a_dead_target_of_an_unknown_partition() -> None:
    apache, kip = refusal(APACHE_3_9, None, (9,)), refusal(KIP_455, None, (9,))
    assert apache is not None
    assert kip is not None
    assert (apache.fault, kip.fault) == (BAD, UNKNOWN)


@pytest.mark.req("R455-23")
def test_a_cancel_of_an_unknown_partition() -> None:
    assert refusal(APACHE_3_9, None, None) == Refusal(NOTHING, IDLE_TEXT)
    assert refusal(KIP_455, None, None) == Refusal(UNKNOWN, MISSING)


def test_the_profiles_differ_in_what_the_proposal_and_kafka_differ_in() -> None:
    assert set(PROFILES) == {"apache-3.9", "kip-455"}
    assert (APACHE_3_9.camel_case, KIP_455.camel_case) == (False, True)
    assert (APACHE_3_9.refuse_unclean, KIP_455.refuse_unclean) == (True, False)
    assert APACHE_3_9.merge is not KIP_455.merge
    assert APACHE_3_9.complete is not KIP_455.complete
