"""E7: a leader that is not wanted any more."""

from dataclasses import replace
from functools import partial

from klamm.tools.lab.clients import move
from klamm.tools.lab.exhibit import Case, Exhibit, Stage
from klamm.tools.lab.exhibits._steps import codes, fail_over, leaders_since
from klamm.tools.lab.scope import Scope
from klamm.tools.lab.variants._scripts import lose_broker

_SCOPE = Scope(
    "exhibit",
    "Two nodes, five brokers, one partition.",
    brokers=5,
    topics={"t": {0: (1, 3, 5)}},
)


def _script(targets: tuple[int, ...], stage: Stage) -> None:
    world = stage.world
    stage.say("t-0 is on brokers 1, 3 and 5, and 3 is dead. A client asks for 2, 1 and 3.")
    lose_broker(world, 3)
    world.settle()
    world.ask("n1", move("t", 0, 2, 1, 3))
    world.settle()
    world.advance(30.0)
    stage.say("2 has caught up, the move waits for 3. A tool elects preferred leaders: 2 is first.")
    world.do("tool: orders preferred leaders")
    world.settle()
    stage.claim(stage.leadership("t", 0)[0] == 2, "2 has been elected")
    stage.say(f"The client thinks better of it, and asks for {[*targets]}, without 2.")
    asked = world.ask("n1", move("t", 0, *targets))
    world.settle()
    stage.claim(codes(asked) == [0], "that is accepted")
    since = leaders_since(stage, asked.step, "t", 0)
    stage.claim(
        since != [] and set(since) == {1},
        f"1 took over before 2 stopped, and there was no moment without a leader: {since}",
    )
    stage.claim(2 not in stage.replicas("t", 0), "2 is no replica any more")
    world.advance(30.0)
    able = {*targets} - {3}
    isr = stage.leadership("t", 0)[1]
    stage.claim({*isr} >= able, f"all of {sorted(able)} are in sync: {isr}")
    stage.rest()
    stage.claim(stage.replicas("t", 0) == [*targets], "with 3 back the move has ended")


def _by_itself(stage: Stage) -> None:
    world = stage.world
    world.advance(10.0)  # n1 has looked before anything moves, and looks again in five minutes
    stage.say("t-0 is on brokers 1, 3 and 5, and 3 is dead. A client asks for 2, 1 and 3.")
    lose_broker(world, 3)
    world.settle()
    world.ask("n1", move("t", 0, 2, 1, 3))
    world.settle()
    world.advance(30.0)
    stage.claim(2 in stage.leadership("t", 0)[1], "2 has caught up, the move waits for 3")
    stage.say("n1 dies. Five seconds after n2 has taken over it looks who ought to lead.")
    world.do("crash n1")
    fail_over(world, "n1")
    begun = world.events[-1].step
    world.advance(10.0)
    leader = stage.leadership("t", 0)[0]
    stage.claim(leader == 1, f"its order is about to change, so it is left alone: {leader} leads")
    stage.say(f"The client thinks better of it, and asks for {[*_ANOTHER]}, without 2.")
    asked = world.ask("n2", move("t", 0, *_ANOTHER))
    world.settle()
    world.advance(30.0)
    stage.claim(codes(asked) == [0], "that is accepted")
    since = {1, *leaders_since(stage, begun, "t", 0)}
    stage.claim(since == {1}, f"1 has led all the time: {sorted(since)}")
    stage.rest()
    stage.claim(stage.replicas("t", 0) == [*_ANOTHER], "with 3 back the move has ended")


_BY_ITSELF = replace(_SCOPE, auto_leader_rebalance=True)
_ANOTHER, _BACK = (4, 1, 3), (1, 3, 5)
EXHIBIT = Exhibit(
    id="E7",
    title="The evicted leader",
    story="While a partition moves, its list of replicas begins with those of the target, so once"
    " one of these has caught up it may be elected as preferred leader, by whoever asks for that,"
    " and since Kafka 3.4.0 by the controller itself (KAFKA-10149). If a client then wants other"
    " brokers, Kafka stops what is not needed any more at once, a leader like any other"
    " (KAFKA-14808, never mended). It elects at the end of a move only, and to get there the new"
    " brokers must copy, from nobody. Where the new target is complete at once the gap is short,"
    " but it is there. klamm writes the new list and a leader within it together, and only then"
    " stops the old one; and it elects no preferred leader by itself while a partition moves.",
    cases=(
        Case("klamm, other brokers", _SCOPE, partial(_script, _ANOTHER)),
        Case("klamm, back to where it was", _SCOPE, partial(_script, _BACK)),
        Case("nobody is elected", _SCOPE, partial(_script, _ANOTHER), "F16", "story"),
        Case("nobody is elected, back", _SCOPE, partial(_script, _BACK), "F16", "story"),
        Case("klamm, a new controller looks who ought to lead", _BY_ITSELF, _by_itself),
        Case("a new controller elects what moves", _BY_ITSELF, _by_itself, "F16", "story"),
    ),
)
