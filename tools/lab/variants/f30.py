"""F30: controllers have no epoch, so nothing tells a former one from the present one."""

from dataclasses import replace

from klamm.controller.core.decide import decide
from klamm.controller.core.ops import SetData
from klamm.controller.node import Node, NodeConfig, Now
from klamm.controller.node.effects import Commit, Effect
from klamm.controller.node.inputs import Input
from klamm.controller.node.turns import Decide
from klamm.controller.store.port import CommitDone, Committed, OpResult
from klamm.tools.lab.variant import Variant


class RaisesNoEpoch(Node):
    """A node that wins the office by `/controller` alone, in the epoch that there is."""

    def __init__(self, config: NodeConfig, decide_over: Decide = decide) -> None:
        super().__init__(config, decide_over)
        self.left_out: OpResult | None = None

    def handle(self, now: Now, event: Input) -> tuple[Effect, ...]:
        """Take one input; the raise of the epoch is left out of the election's multi."""
        if isinstance(event, CommitDone) and event.request == self.office.election:
            event = self._as_if_raised(event)
        return tuple(self._without_raise(each) for each in super().handle(now, event))

    def _as_if_raised(self, done: CommitDone) -> CommitDone:
        if self.left_out is None or not isinstance(done.outcome, Committed):
            return done
        return replace(done, outcome=Committed((*done.outcome.results, self.left_out)))

    def _without_raise(self, effect: Effect) -> Effect:
        if not isinstance(effect, Commit) or effect.request != self.office.election:
            return effect
        *others, last = effect.ops
        if not isinstance(last, SetData) or any(op.path == last.path for op in others):
            self.left_out = None  # the first epoch of all is made
            return effect
        self.left_out = OpResult(last.path, last.version)
        self.office.candidate_epoch -= 1
        return replace(effect, ops=tuple(others))


VARIANT = Variant(
    id="F30",
    story="The first controllers had no epoch. One that lost its office without knowing it, for"
    " its machine was too busy to hear from ZooKeeper, went on to write and to send, while another"
    " did the same: neither ZooKeeper nor a broker could tell their words apart. The fix numbers"
    " controllers in a znode of its own, and brokers refuse all but the newest.",
    reference="KAFKA-532, 8e7b0d40169 (0.8.0)",
    exposed_by="moves",
    node_factory=RaisesNoEpoch,
)
