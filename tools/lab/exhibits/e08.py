"""E8: a controller that is none any more writes all the same."""

from klamm.controller.core.ops import ANY_VERSION, Delete
from klamm.controller.znodes import paths
from klamm.protocol.error_codes import ErrorCode
from klamm.tools.lab.clients import move
from klamm.tools.lab.exhibit import Case, Exhibit, Stage
from klamm.tools.lab.exhibits._answers import error
from klamm.tools.lab.scope import Scope

_SCOPE = Scope("exhibit", "Two nodes, three brokers, one partition.", topics={"t": {0: (1, 2)}})


def _script(stage: Stage) -> None:
    world = stage.world

    def is_of_n1(name: str) -> bool:
        return name.startswith(("n1 ", "zk serves n1"))

    stage.say("t-0 is on brokers 1 and 2. Somebody asks n1, the controller, to move it to 2 and 3.")
    asked = world.ask("n1", move("t", 0, 2, 3))
    world.do("n1 turn")
    world.settle(but=lambda name: name == "n1 turn")
    stage.say("n1 has decided what to write. It stands still; so does its write, on the network.")
    world.do("n1 turn")
    stage.say("An operator deletes /controller, as one does to move the office. n2 is elected.")
    world.write("an operator deletes /controller", Delete(paths.CONTROLLER, ANY_VERSION))
    world.settle(but=is_of_n1)
    stage.say("Now the write of n1 reaches ZooKeeper, where n2 rules.")
    world.do("zk serves n1")
    stage.claim(
        stage.replicas("t", 0) == [1, 2], f"it took no effect: t-0 is on {stage.replicas('t', 0)}"
    )
    world.settle()
    stage.claim(error(asked) == ErrorCode.NOT_CONTROLLER, "n1 has told its client so (41)")
    stage.say("Then n2 is asked for the same.")
    world.ask("n2", move("t", 0, 2, 3))
    world.advance(60.0)
    stage.claim(
        stage.replicas("t", 0) == [2, 3],
        f"n2 has moved t-0 to 2 and 3: it is on {stage.replicas('t', 0)}",
    )
    stage.rest()


EXHIBIT = Exhibit(
    id="E8",
    title="A zombie writes",
    story="A controller pauses between its decision and its write; meanwhile another one is elected"
    " and has read how things stand. Kafka fenced brokers against the old one by the controller"
    " epoch, but until 2.1.0 its writes to ZooKeeper were as good as anybody's: the new controller"
    " never looked again at what it had loaded, so ZooKeeper said one thing and it another. Since"
    " then, and here, each write is a multi that first checks the version of /controller_epoch:"
    " whoever was elected later has raised it. n1 is refused, resigns, and tells its client so.",
    cases=(
        Case("klamm", _SCOPE, _script),
        Case("without the check", _SCOPE, _script, "F33", "I1"),
    ),
)
