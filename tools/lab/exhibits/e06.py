"""E6: a cancel after which nobody has the data."""

from collections.abc import Set as AbstractSet
from dataclasses import replace
from functools import partial

from klamm.controller.core.draft import Draft
from klamm.controller.core.events import AlterReassignment, Cause
from klamm.controller.core.model import NO_LEADER, Assignment, Partition, TopicPartition
from klamm.controller.core.moves import alter
from klamm.controller.core.results import Fault, Refusal
from klamm.controller.core.rules import APACHE_3_9, KIP_455
from klamm.controller.core.validation import validate_kafka_order
from klamm.protocol.error_codes import ErrorCode
from klamm.tools.lab.clients import cancel, move
from klamm.tools.lab.exhibit import Case, Exhibit, Stage
from klamm.tools.lab.exhibits._steps import codes, stall, target
from klamm.tools.lab.scope import Scope
from klamm.tools.lab.variant import Variant
from klamm.tools.lab.variants._scripts import lose_broker
from klamm.tools.lab.variants._ways import deciding

_T0 = TopicPartition("t", 0)


def _all_alive(
    partition: Partition | None, wanted: tuple[int, ...] | None, online: AbstractSet[int]
) -> Refusal | None:
    """Refuse a cancel unless all original replicas are alive (linkedin/kafka#422)."""
    found = validate_kafka_order(partition, wanted, online)
    if found or wanted is not None or partition is None:
        return found
    return None if online >= {*partition.assignment.origin} else _refused("are not alive")


def _enough_in_sync(
    least: int,
    partition: Partition | None,
    wanted: tuple[int, ...] | None,
    online: AbstractSet[int],
) -> Refusal | None:
    """Refuse a cancel that leaves less in sync than min.insync.replicas (linkedin/kafka#442)."""
    found = validate_kafka_order(partition, wanted, online)
    if found or wanted is not None or partition is None or partition.leadership is None:
        return found
    left = {*partition.assignment.origin} & {*partition.leadership.isr} & online
    return None if len(left) >= least else _refused("are not in sync")


def _refused(why: str) -> Refusal:
    text = f"Replica assignment cancellation has original brokers that {why}."
    return Refusal(Fault.INVALID_REPLICA_ASSIGNMENT, text)


def _alter(draft: Draft, cause: Cause, event: AlterReassignment) -> None:
    """Alter as klamm does, but let a cancel go back to who is alive (linkedin/kafka#442)."""
    rules = draft.rules
    draft.rules = replace(rules, cancelled=partial(_living, draft.alive))
    alter(draft, cause, event)
    draft.rules = rules


def _living(alive: AbstractSet[int], present: Assignment) -> Assignment:
    return Assignment(tuple(broker for broker in present.origin if broker in alive))


_KRAFT = Scope(
    "exhibit", "Two nodes, four brokers, one partition.", brokers=4, topics={"t": {0: (1, 2)}}
)
_BY_THE_KIP = replace(_KRAFT, rules=KIP_455)
_ALIVE = replace(_KRAFT, rules=replace(APACHE_3_9, name="all-alive", validate=_all_alive))
_ORIGINALS, _ORIGINALS_TWO = (
    replace(
        _KRAFT,
        rules=replace(APACHE_3_9, name="originals", validate=partial(_enough_in_sync, least)),
    )
    for least in (1, 2)
)
_MIN_ISR = replace(_KRAFT, rules=replace(_ORIGINALS.rules, name="min-isr"))
_TO_THE_LIVING = Variant(
    id="min-isr",
    story="A cancel goes back to those of the original brokers that are alive.",
    reference="linkedin/kafka#442, taken back by #445",
    exposed_by="E6",
    decide=deciding(AlterReassignment, _alter),
)
_REFUSED = [ErrorCode.INVALID_REPLICA_ASSIGNMENT]


def _begin(stage: Stage, *dead: int) -> list[int]:
    """Let the move begin, brokers die, and a client cancel it; return what it was answered."""
    world = stage.world
    stage.say("t-0 moves from brokers 1 and 2 to 3 and 4. Broker 3 catches up, 4 copies nothing.")
    stall(world, 4)
    world.ask("n1", move("t", 0, 3, 4))
    world.settle()
    world.advance(30.0)
    stage.claim(3 in stage.leadership("t", 0)[1], "3 is in sync")
    stage.say(f"Of the original brokers these die: {', '.join(map(str, dead))}.")
    for broker in dead:
        lose_broker(world, broker)
        world.settle()
    leader, isr = stage.leadership("t", 0)
    stage.claim(leader not in (NO_LEADER, *dead), f"{leader} leads, in sync are {isr}")
    stage.say("A client cancels the move.")
    asked = world.ask("n1", cancel("t", 0))
    world.settle()
    world.advance(30.0)
    return codes(asked)


def _refuses(stage: Stage) -> None:
    stage.claim(_begin(stage, 1, 2) == _REFUSED, "it is refused, with 39")
    led = stage.leadership("t", 0)
    stage.claim(led == (3, [3]), f"3 leads as before: leader {led[0]}, ISR {led[1]}")
    stage.claim(target(stage, "t", 0) == [3, 4], "the move goes on")
    stage.rest()
    held, led = stage.replicas("t", 0), stage.leadership("t", 0)
    stage.claim(held == [3, 4], f"it has ended, now that 4 copies: t-0 is on {held}")
    stage.claim(led[0] in held, f"somebody leads: leader {led[0]}, ISR {led[1]}")


def _goes_dark(stage: Stage) -> None:
    stage.claim(_begin(stage, 1, 2) == [0], "it is accepted, whatever it costs")
    stage.claim(stage.replicas("t", 0) == [1, 2], "t-0 is to be on 1 and 2, which are dead")
    stage.claim(stage.leadership("t", 0) == (NO_LEADER, [3]), "nobody leads; 3 was in sync last")


def _cancels(stage: Stage) -> None:
    _goes_dark(stage)
    stage.rest()
    stage.claim(
        stage.leadership("t", 0) == (NO_LEADER, [3]),
        "1 and 2 are back, and may not lead: they may lack what 3 has",
    )
    kept = stage.world.brokers[3].disks.logs
    stage.claim(_T0 in kept, "klamm lets 3 keep its log while nobody leads: that can be mended")


def _stays_dark(kept: bool, stage: Stage) -> None:
    world = stage.world
    _goes_dark(stage)
    stage.say("All brokers come back, and nothing more goes wrong.")
    world.heal()
    world.advance(60.0)
    leader, isr = stage.leadership("t", 0)
    stage.claim((leader, isr) == (NO_LEADER, [3]), f"still nobody leads; in sync is {isr}")
    has = _T0 in world.brokers[3].disks.logs
    text = "3 has its log still" if has else "3, which alone had all of the data, has deleted it"
    stage.claim(has == kept, text)


def _one_is_left(allowed: bool, stage: Stage) -> None:
    answer = _begin(stage, 1)
    if allowed:
        stage.claim(answer == [0], "it is accepted, for 2 is in sync")
        stage.claim(stage.leadership("t", 0)[0] == 2, "2 leads")
    else:
        stage.claim(answer == _REFUSED, "it is refused, though 2 is in sync")
    stage.rest()
    wanted = [1, 2] if allowed else [3, 4]
    stage.claim(stage.replicas("t", 0) == wanted, f"t-0 is on {wanted}")


def _shrinks(stage: Stage) -> None:
    stage.claim(_begin(stage, 1) == [0], "it is accepted, for 2 is in sync")
    stage.claim(stage.leadership("t", 0) == (2, [2]), "2 leads, alone")
    stage.claim(stage.replicas("t", 0) == [2], "t-0 is to be on 2 alone: neither origin nor target")
    stage.say("Broker 1 comes back, and nothing more goes wrong.")
    stage.world.heal()
    stage.world.advance(60.0)
    stage.claim(
        stage.replicas("t", 0) == [2],
        f"t-0 had two replicas, and has {stage.replicas('t', 0)} until somebody asks for more",
    )
    stage.claim(
        _T0 not in stage.world.brokers[1].disks.logs, "1 had nearly all of the data: it is deleted"
    )


EXHIBIT = Exhibit(
    id="E6",
    title="Cancelled into darkness",
    story="A partition moves, and its original brokers die; one of the new ones has caught up and"
    " leads. Who cancels the move now asks to go back to brokers that are dead. Kafka's ZooKeeper"
    " controller does as it is told to this day: it drops the one that has the data, and nobody can"
    " lead, even when the original brokers are back (KAFKA-14424). There is no one answer to it."
    " KRaft refuses a cancel that leaves nobody alive in sync. LinkedIn first refused it unless all"
    " original brokers were alive (#422). Then it was enough if min.insync.replicas of them were in"
    " sync, and it went back to the living alone (#442): who was away for a restart was no"
    " replica any more, and Kafka itself never makes up for it. So three weeks later it went back"
    " to all original ones again (#445). klamm refuses as KRaft does. The text of KIP-455 says"
    " that a cancel is carried out, so the profile kip-455 does, but the last log is kept.",
    cases=(
        Case("kraft: klamm", _KRAFT, _refuses),
        Case("kraft: klamm, one original broker is left", _KRAFT, partial(_one_is_left, True)),
        Case("kip-455: always cancelled", _BY_THE_KIP, _cancels),
        Case("all-alive", _ALIVE, _refuses),
        Case("all-alive, one is left", _ALIVE, partial(_one_is_left, False)),
        Case("originals, min.insync.replicas=1", _ORIGINALS, _refuses),
        Case(
            "originals, min.insync.replicas=1, one is left", _ORIGINALS, partial(_one_is_left, True)
        ),
        Case(
            "originals, min.insync.replicas=2, one is left",
            _ORIGINALS_TWO,
            partial(_one_is_left, False),
        ),
        Case("min-isr, min.insync.replicas=1", _MIN_ISR, _refuses, own=_TO_THE_LIVING),
        Case(
            "min-isr, min.insync.replicas=1, one is left",
            _MIN_ISR,
            _shrinks,
            red="I3",
            own=_TO_THE_LIVING,
        ),
        Case("zk: nobody asks (F15)", _KRAFT, partial(_stays_dark, True), "F15", "I5"),
        Case("zk: Kafka 3.9's writes", _KRAFT, partial(_stays_dark, False), "apache", "I5"),
    ),
)
