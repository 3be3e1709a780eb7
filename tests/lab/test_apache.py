"""Kafka's own sequence: its writes in its order, its defects, and the table of crash points."""

from pathlib import Path

from click.testing import CliRunner

from klamm.controller.core import decide as klamm
from klamm.controller.core.events import AlterReassignment, Cause
from klamm.controller.core.model import Assignment, Broker, ClusterState, Partition, Topic
from klamm.controller.core.ops import Create, SetData
from klamm.controller.core.results import Fault, Refusal
from klamm.controller.core.settings import Settings
from klamm.controller.node.effects import Commit
from klamm.controller.node.turns import Decide
from klamm.controller.znodes import decode_state, decode_topic, encode_reassign_partitions, paths
from klamm.controller.znodes.admin import Reassignment
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.alter_partition_reassignments_response import (
    AlterPartitionReassignmentsResponse,
)
from klamm.tools.cli._crash_points import crash_points
from klamm.tools.lab import apache, clients, registry
from klamm.tools.lab.apache.crash_points import points, prepare, run
from klamm.tools.lab.apache.outcomes import describe
from klamm.tools.lab.apache.report import trouble_of
from klamm.tools.lab.apache.scenarios import SCENARIOS, T
from klamm.tools.lab.apache.stage import Stage
from klamm.tools.lab.apache.stepped import ALL
from klamm.tools.lab.clients import Asked
from klamm.tools.lab.run import Opening
from klamm.tools.lab.run import run as run_seed
from klamm.tools.lab.scopes import SCOPES

TOPIC, STATE = paths.topic(T.topic), paths.state(*T)
DOCUMENT = Path(__file__).parents[2] / "tools" / "lab" / "crash_points.md"
BY_NAME = {scenario.name: scenario for scenario in SCENARIOS}


def stage(*replicas: int, decide: Decide = apache.decide) -> Stage:
    made = Stage(replicas, decide, decide)
    made.settle()
    made.controller.watch()
    return made


def writes(made: Stage) -> list[str]:
    """The multis about the partition or its orders, in order."""
    commits = (effect for effect in made.outside if isinstance(effect, Commit))
    told = (describe(commit).removeprefix("write of ") for commit in commits)
    return [each for each in told if paths.ISR_CHANGES not in each]


def code(asked: Asked) -> int:
    (response,) = asked.responses
    assert isinstance(response, AlterPartitionReassignmentsResponse)
    return response.responses[0].partitions[0].error_code


def order(made: Stage, *entries: Reassignment) -> None:
    data = encode_reassign_partitions(entries)
    made.world.write("orders moves", Create(paths.REASSIGN_PARTITIONS, data))


# --- the sequence --------------------------------------------------------------------------------


def test_a_move_is_written_as_real_brokers_of_kafka_have_seen_it() -> None:
    """[1,2,3] to [4,3,2] as measured on Kafka 3.9.0: U1, A1, the leader's ISR, B3, B4, B6."""
    made = stage(1, 2, 3)
    asked = made.ask(clients.move(*T, 4, 3, 2))
    made.settle()
    assert code(asked) == ErrorCode.NONE
    assert writes(made) == [
        "topic [4,3,2,1] +[4] -[1]",
        "state leader 1 epoch 1 ISR [1,2,3]",
        "state leader 4 epoch 2 ISR [1,2,3,4]",
        "state leader 4 epoch 3 ISR [2,3,4]",
        "topic [4,3,2]",
    ]
    nodes = made.world.tree.nodes
    assert (nodes[TOPIC].version, nodes[STATE].version) == (2, 4)


def test_a_new_target_stops_what_only_the_former_one_had() -> None:
    made = stage(1, 2, 3)
    made.stall(4, 5)
    made.ask(clients.move(*T, 4, 5, 3))
    made.settle()
    made.controller.watch()
    made.ask(clients.move(*T, 1, 2, 5))
    made.settle()
    assert writes(made) == ["topic [1,2,5,3] +[5] -[3]", "state leader 1 epoch 2 ISR [1,2,3]"]
    assert T not in made.world.cluster.logs(4)
    assert T in made.world.cluster.logs(5)


def test_a_cancel_writes_the_topic_twice() -> None:
    made = stage(1, 2, 3)
    made.stall(4)
    made.ask(clients.move(*T, 3, 4, 2))
    made.settle()
    made.controller.watch()
    asked = made.ask(clients.cancel(*T))
    made.settle()
    assert code(asked) == ErrorCode.NONE
    assert writes(made) == [
        "topic [3,2,1]", "state leader 1 epoch 2 ISR [1,2,3]", "topic [3,2,1]"
    ]  # fmt: skip
    assert T not in made.world.cluster.logs(4)


def test_the_same_target_again_begins_another_leader_epoch() -> None:
    """N8; the product writes nothing."""
    for decide, expected in (
        (apache.decide, ["state leader 1 epoch 2 ISR [1,2,3]"]),
        (klamm.decide, []),
    ):
        made = stage(1, 2, 3, decide=decide)
        made.stall(4)
        made.ask(clients.move(*T, 4, 3, 2))
        made.settle()
        made.controller.watch()
        made.ask(clients.move(*T, 4, 3, 2))
        made.settle()
        assert writes(made) == expected


def test_a_cancel_asks_for_nobodys_life() -> None:
    """F15: the one replica with the data is deleted, and stays the ISR of nobody."""
    ends = {}
    for decide in (apache.decide, klamm.decide):
        made = stage(1, 2, decide=decide)
        made.stall(4)
        made.ask(clients.move(*T, 3, 4))
        made.settle()
        made.stop(1)
        made.stop(2)
        made.settle()
        asked = made.ask(clients.cancel(*T))
        made.settle()
        held = decode_state(made.data(STATE), STATE)
        ends[decide] = code(asked), held.leader, held.isr, T in made.world.cluster.logs(3)
    assert ends == {
        apache.decide: (ErrorCode.NONE, -1, (3,), False),
        klamm.decide: (ErrorCode.INVALID_REPLICA_ASSIGNMENT, 3, (3,), True),
    }


def test_a_move_of_what_nobody_leads_fails_after_it_has_begun() -> None:
    """N3: the topic's znode is written, the answer is an error."""
    topic = Topic("t", 3, {0: Partition(Assignment((1,)))})
    brokers = {id_: Broker(id_, 1, ()) for id_ in (2, 3)}
    state = ClusterState(900, 1, 1, brokers=brokers, topics={"t": topic})
    plan = apache.decide(state, [Cause(7, AlterReassignment(T, (2,)))], Settings())
    (op,) = (op for commit in plan for op in commit.ops)
    assert isinstance(op, SetData)
    assert decode_topic(op.data, TOPIC).adding == {0: (2,)}
    ((cause, result),) = plan[-1].results
    assert cause == 7
    assert isinstance(result, Refusal)
    assert result.fault is Fault.UNKNOWN_SERVER_ERROR


# --- the admin znode -----------------------------------------------------------------------------


def test_a_request_strikes_the_old_order_before_it_writes_its_own() -> None:
    """H4: between the two writes the order is neither there nor replaced."""
    scenario = BY_NAME["replace a znode's order"]
    made = prepare(scenario, "apache", "apache")
    points(scenario, made)
    assert writes(made)[:2] == [
        "removal of /admin/reassign_partitions",
        "topic [1,2,5,3] +[5] -[3]",
    ]


def test_an_order_is_struck_by_the_end_of_its_move_after_all_else() -> None:
    scenario = BY_NAME["completion of a znode's order"]
    made = prepare(scenario, "apache", "apache")
    points(scenario, made)
    assert writes(made)[-2:] == ["topic [4,3,2]", "removal of /admin/reassign_partitions"]


def test_orders_are_not_judged() -> None:
    """H2: a broker that is not there is waited for; what names no partition is struck."""
    made = stage(1, 2, 3)
    order(made, Reassignment("t", 9, (1,)), Reassignment("t", 0, (9, 2, 3)))
    made.settle()
    assert writes(made) == [
        "admin znode [9,2,3]",
        "topic [9,2,3,1] +[9] -[1]",
        "state leader 1 epoch 1 ISR [1,2,3]",
    ]


# --- in the lab ----------------------------------------------------------------------------------


def test_the_lab_sees_memory_ahead_of_zookeeper_and_no_fault_of_the_variant_itself() -> None:
    opening = Opening(SCOPES["failover"], registry.variant("apache"))
    violations = [run_seed(opening, seed).violation for seed in range(15)]
    found = {violation.invariant for violation in violations if violation}
    assert "I9" in found
    assert "fault" not in found


# --- crash points --------------------------------------------------------------------------------


def test_klamm_announces_a_move_that_a_stock_controller_has_only_written() -> None:
    """Killed between U1 and A1: no replica has heard of it, in the leader epoch that it has."""
    scenario = BY_NAME["start"]
    made = prepare(scenario, "apache", "klamm")
    found = points(scenario, made.copy())
    after_u1 = next(point for point in found if point.label.startswith("after write of topic"))
    held, end = run(scenario, made, after_u1)
    assert held == "[4,3,2,1] +[4] -[1], leader 1 epoch 0 ISR [1,2,3]"
    assert (end.ends, trouble_of(end)) == ("F", ())


def test_the_command_makes_what_the_document_says(tmp_path: Path) -> None:
    """If it differs, `klamm lab crash-points --to tools/lab/crash_points.md` makes it again."""
    made = tmp_path / "start.md"
    result = CliRunner().invoke(crash_points, ["--scenario", "start", "--to", str(made)])
    assert result.exit_code == 0, result.output
    assert _parts(made.read_text(), "start") == _parts(DOCUMENT.read_text(), "start")


def test_the_document_has_every_scenario_and_nothing_else() -> None:
    text = DOCUMENT.read_text()
    titles = [line.removeprefix("## ") for line in text.splitlines() if line.startswith("## ")]
    assert titles == ["Overview", *(scenario.name.capitalize() for scenario in ALL)]


def _parts(text: str, name: str) -> tuple[list[str], str]:
    """A scenario's lines in the overview, and its section."""
    overview = [line for line in text.splitlines() if line.startswith(f"| {name} |")]
    section = text.partition(f"## {name.capitalize()}\n")[2].partition("\n## ")[0].rstrip()
    assert overview
    assert section
    return overview, section
