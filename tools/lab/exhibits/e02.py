"""E2: a move that the next controller cannot read."""

from dataclasses import replace

from klamm.controller.core.ibp import by_name
from klamm.controller.core.ops import ANY_VERSION, SetData
from klamm.controller.core.rules import KIP_455
from klamm.controller.znodes import paths
from klamm.tools.lab.clients import move
from klamm.tools.lab.exhibit import Case, Exhibit, Stage
from klamm.tools.lab.exhibits._steps import codes, copy_again, fail_over, stall, topic_of
from klamm.tools.lab.scope import Scope

_SCOPE = Scope(
    "exhibit",
    "Two nodes, six brokers, one partition of a topic with an id.",
    brokers=6,
    topics={"t": {0: (1, 2, 3)}},
    protocol=by_name("3.9"),
)
_CAMEL_CASE = replace(_SCOPE, rules=KIP_455)
#: What somebody else keeps in a topic's znode, and no controller knows.
_KEY, _VALUE = "observers", b'{"0":[6]}'
_PATH = paths.topic("t")


def _script(stage: Stage) -> None:
    world = stage.world
    znode = topic_of(stage, "t")
    stage.say("t-0 is on brokers 1, 2 and 3. A tool of the house keeps a key of its own there.")
    data = world.tree.nodes[_PATH].data or b""
    marked = b'{"%s":%s,%s' % (_KEY.encode(), _VALUE, data.removeprefix(b"{"))
    world.write("adds a key to the topic's znode", SetData(_PATH, marked, ANY_VERSION))
    world.settle()
    stage.say("A client has n1 move t-0 to 4, 5 and 6, which copy nothing for now.")
    stall(world, 4, 5, 6)
    asked = world.ask("n1", move("t", 0, 4, 5, 6))
    world.settle()
    began = topic_of(stage, "t")
    stage.claim(codes(asked) == [0], "the client was answered without an error")
    stage.claim(
        (began.adding, began.removing) == ({0: (4, 5, 6)}, {0: (1, 2, 3)}),
        "the topic's znode tells what is added, and what is removed",
    )
    stage.say("n1 dies, and n2 is elected. All that it knows of the move is what stands there.")
    world.do("crash n1")
    fail_over(world, "n1")
    copy_again(world, 4, 5, 6)
    stage.rest()
    ended = topic_of(stage, "t")
    stage.claim(
        [*ended.partitions[0]] == [4, 5, 6], f"t-0 is on 4, 5 and 6: {[*ended.partitions[0]]}"
    )
    stage.claim(not (ended.adding or ended.removing), "nothing moves any more")
    assert znode.topic_id is not None
    stage.claim(ended.topic_id == znode.topic_id, f"the topic's id is still {znode.topic_id}")
    stage.claim(_KEY in ended.extra, "the key that no controller knows is there")


EXHIBIT = Exhibit(
    id="E2",
    title="Lost in translation",
    story="A client has a partition moved; the controller dies, and the next one knows of the move"
    " what stands in the topic's znode. One expects that it goes on. While 2.4 was being made the"
    " lists of what is added and what is removed were read in the wrong order, so the next"
    " controller threw the new replicas away. The KIP spells these lists in another way than Kafka"
    " writes them, so of two controllers that keep to one spelling each, in either direction, the"
    " second forgets the move. Versions before 2.4 know neither; up to 2.8.0 a controller of an"
    " older protocol dropped the topic's id. klamm reads every form there has been, and writes"
    " back what it does not know.",
    cases=(
        Case("klamm", _SCOPE, _script),
        Case("klamm, in the KIP's spelling", _CAMEL_CASE, _script),
        Case("the lists are swapped", _SCOPE, _script, "F02", "I9"),
        Case("n2 knows the KIP's spelling only", _SCOPE, _script, "D1", "I9"),
        Case("n2 knows Kafka's spelling only", _CAMEL_CASE, _script, "D1", "I9"),
        Case("n2 is of before KIP-455", _SCOPE, _script, "D2", "I9"),
        Case("topic ids are dropped", _SCOPE, _script, "F54", "I11"),
    ),
)
