"""What a controller writes and sends in a scenario, as text: for comparisons, and to be recorded.

Written with nothing that is about limits, so that controllers without them can be recorded, too.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from hashlib import sha256

from klamm.controller.core import decide as klamm
from klamm.controller.core.ops import Op
from klamm.controller.node.effects import Commit, Send
from klamm.protocol.codec import encode
from klamm.protocol.generated.leader_and_isr_request import LeaderAndIsrRequest
from klamm.protocol.generated.stop_replica_request import StopReplicaRequest
from klamm.protocol.generated.update_metadata_request import UpdateMetadataRequest
from klamm.protocol.message import Message
from klamm.tools.lab.apache.scenarios import SCENARIOS, Scenario
from klamm.tools.lab.apache.stage import Stage

BROKER_EPOCH = 100

Before = Sequence[Callable[[Stage], object]]


def conversation(scenario: Scenario, before: Before = ()) -> list[str]:
    """Every write with its bytes, and every request and reply with a digest of its, in order.

    Of what is done `before` nothing is told.
    """
    stage = Stage(scenario.origin, klamm.decide, klamm.decide)
    for step in before:
        step(stage)
        stage.settle()
    stage.controller.watch()
    for step in scenario.prepare:
        step(stage)
        stage.settle()
    if scenario.act:
        scenario.act(stage)
    if scenario.asks:
        stage.ask(scenario.asks)
    stage.settle()
    return [*_told(stage), *_answered(stage)]


def conversations() -> str:
    """Those of all scenarios."""
    lines = []
    for scenario in SCENARIOS:
        lines += [f"# {scenario.name}", *conversation(scenario), ""]
    return "\n".join(lines)


def _told(stage: Stage) -> Iterator[str]:
    for effect in stage.outside:
        if isinstance(effect, Commit):
            yield f"write if the epoch is at v{effect.fence}"
            yield from (f"  {_op(op)}" for op in effect.ops)
        elif isinstance(effect, Send):
            name = type(effect.message).__name__
            # A broker's epoch counts the writes of before, some of which only prepare a cluster.
            message = _with_epoch(effect.message)
            digest = _digest(encode(message, effect.version))
            yield f"{name} v{effect.version} to {effect.broker.id}: {digest}"


def _with_epoch(message: Message) -> Message:
    match message:
        case LeaderAndIsrRequest() | StopReplicaRequest() | UpdateMetadataRequest():
            return replace(message, broker_epoch=BROKER_EPOCH)
    raise AssertionError(f"a controller sends no {type(message).__name__}")


def _answered(stage: Stage) -> Iterator[str]:
    for asked in stage.world.clients.requests:
        for response in asked.responses:
            yield f"reply to {asked.what.name}: {_digest(encode(response, asked.what.version))}"


def _op(op: Op) -> str:
    data = getattr(op, "data", None)
    version = getattr(op, "version", None)
    at = "" if version is None else f" v{version}"
    return f"{type(op).__name__} {op.path}{at} {'' if data is None else data.decode()}".rstrip()


def _digest(data: bytes) -> str:
    return f"{len(data)} bytes {sha256(data).hexdigest()[:16]}"
