"""N6: whoever sends an AlterPartition leads, with whatever ISR it names."""

from klamm.controller.core import isr
from klamm.controller.core.draft import Draft
from klamm.controller.core.events import AlterPartition, Cause
from klamm.controller.core.results import IsrAltered
from klamm.controller.znodes import paths
from klamm.protocol.generated import alter_partition_request as asked
from klamm.tools.lab.clients import AskFor
from klamm.tools.lab.exhibit import Case, Stage
from klamm.tools.lab.studies import LEADERS_ASK
from klamm.tools.lab.variant import OWN_SCRIPT, Variant
from klamm.tools.lab.variants._scripts import state_of
from klamm.tools.lab.variants._ways import deciding


def _alter_partition(draft: Draft, cause: Cause, event: AlterPartition) -> None:
    """Look at the epochs and at nothing else; the sender is taken for the leader."""
    name = event.partition
    partition, sender = draft.partition(name), draft.brokers.get(event.broker)
    leadership = partition.leadership if partition is not None else None
    known = (
        leadership is not None
        and name not in draft.units
        and not draft.vanishing(name.topic)
        and not draft.unreadable_of(name)
        and sender is not None
        and sender.epoch == event.broker_epoch
        and leadership.leader_epoch == event.leader_epoch
        and leadership.version == event.partition_epoch
    )
    if not known or leadership is None or event.isr == leadership.isr:
        isr.alter_partition(draft, cause, event)
        return
    altered = draft.alter_isr(name, event.isr, event.leader_recovery_state)
    if altered.leader != event.broker and draft.lead(name, event.broker, event.isr):
        leader = draft.existing(name).leadership
        assert leader is not None
        altered = leader
    draft.unit(name).check_later = True
    draft.settle(cause, IsrAltered(altered), name)


def _script(stage: Stage) -> None:
    world = stage.world
    before = state_of(stage, "t", 0)
    stage.say("Broker 2, a follower of t-0, names the epochs that are right, and itself as ISR.")
    model = world.brokers[2].model
    version = world.tree.nodes[paths.state("t", 0)].version
    part = asked.PartitionData(
        partition_index=0, leader_epoch=before.leader_epoch, new_isr=(2,), partition_epoch=version
    )
    body = asked.AlterPartitionRequest(
        broker_id=2,
        broker_epoch=model.epoch if model is not None else -1,
        topics=(asked.TopicData(topic_name="t", partitions=(part,)),),
    )
    world.ask("n1", AskFor("broker 2 alone in t-0", 1, body))
    world.settle()
    after = state_of(stage, "t", 0)
    stage.claim(after == before, f"leader and ISR stay: {after.leader} and {[*after.isr]}")
    stage.rest()


SCRIPT = Case("klamm", LEADERS_ASK, _script)
VARIANT = Variant(
    id="N6",
    story="Kafka compares the leader epoch and the version in an AlterPartition with its own, and"
    " then writes leader and ISR as the sender has them. It looks neither whether the sender leads"
    " nor whether those that it names are replicas. A broker that was wrong about that, with epochs"
    " that were right, became leader by its request, or made a replica of a broker that is none."
    " klamm checks both, as KRaft does.",
    reference="Kafka 3.9, KafkaController.scala, tryProcessAlterPartition (measured)",
    exposed_by=OWN_SCRIPT,
    decide=deciding(AlterPartition, _alter_partition),
)
