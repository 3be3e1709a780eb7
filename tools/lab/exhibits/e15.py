"""E15: a new replica has everything, and never comes into sync."""

from klamm.tools.explain.findings import Cause
from klamm.tools.lab.clients import move
from klamm.tools.lab.exhibit import Case, Exhibit, Stage
from klamm.tools.lab.exhibits._explained import explained
from klamm.tools.lab.studies import LEADERS_ASK
from klamm.tools.lab.variants._timing import wait

#: What somebody waits between two looks who wants to be sure.
_SECONDS = 60.0


def _lose_the_ask(stage: Stage) -> None:
    """Let a leader ask for the new replica, and the answer never come."""
    world = stage.world
    stage.say("t-0 moves to brokers 1 and 3. Broker 3 catches up, and its leader asks for it.")
    world.ask("n1", move("t", 0, 1, 3))
    leader = world.brokers[1]
    wait(world, lambda: bool(leader.asks), but=lambda name: "AlterPartition" in name)
    stage.say("The connection breaks before n1 has heard of that. Nobody will ever answer.")
    world.do("break the link b1-n1")
    world.settle()
    stage.rest()


def _asks_again(stage: Stage) -> None:
    _lose_the_ask(stage)
    found = explained(stage, "t", 0, _SECONDS)
    ended = stage.replicas("t", 0) == [1, 3] and stage.leadership("t", 0)[1] == [1, 3]
    stage.claim(ended, "the leader has asked again, and the move has ended")
    moving = [each for each in found.partitions if each.moving]
    stage.claim(not moving, "explain finds nothing that moves")


def _waits_for_ever(stage: Stage) -> None:
    _lose_the_ask(stage)
    stage.say("Somebody runs klamm explain t:0, which looks at sizes, leader and ISR twice.")
    [diagnosis] = explained(stage, "t", 0, _SECONDS).partitions
    for finding in diagnosis.findings:
        stage.say(f"explain: {finding.cause.value}: {finding.text}.")
        stage.say(f"explain: what to do: {finding.advice}.")
    causes = [finding.cause for finding in diagnosis.findings]
    stage.claim(causes == [Cause.ISR_CHANGE_STUCK], "explain names the state, and nothing else")
    stage.say("It is done as it says: broker 1 starts again, and a new leader asks.")
    world = stage.world
    world.do("kill b1")
    world.settle()
    stage.rest()
    stage.claim(stage.replicas("t", 0) == [1, 3], "the move has ended")


EXHIBIT = Exhibit(
    id="E15",
    title="Stuck in flight",
    story="A leader may have one change of an ISR in flight, and sends no other before it has an"
    " answer. If the answer never comes, the leader waits, and a new replica that has every byte is"
    " not in sync: the move does not end, and neither a broker nor a throttle is to blame. Kafka"
    " has known several ways into this state (KAFKA-12686, KAFKA-13091, KAFKA-14010), and what it"
    " takes to get out is a new leader. Nothing showed why. klamm explain tells it from slow"
    " copying by two looks: the replica had all that its leader had, both times, and the ISR is the"
    " same.",
    cases=(
        Case("klamm: the leader asks again", LEADERS_ASK, _asks_again),
        Case("the leader waits for ever", LEADERS_ASK, _waits_for_ever, "F43", "liveness"),
    ),
)
