"""Kafka 3.9's own sequence of writes and requests, as a variant of klamm's decisions.

`decide` takes the place of `klamm.controller.core.decide.decide` in a node: moves of replicas are
carried out as Kafka 3.9 does, one write per Commit, so that its crash points can be compared with
klamm's (`klamm lab crash-points`). Everything around it is klamm's: node, store, links to brokers.

Kept as Kafka has it: the admin znode is rewritten before the topic znode (H4); memory is ahead of
ZooKeeper during phase B (H5); deletes are told once and remembered nowhere (H7); a move ends by
its ISR alone, even if nobody can lead (H8); a cancel asks for nobody's life (F15).

Different from Kafka: topic znodes are written only at the version that is known (not H3). A write
that meets another one ends the event there, and the event is decided again over what is known by
then, so a cancel that has got that far is told that nothing moves; Kafka repeats that one write.
Requests pass through klamm's outboxes, which may merge what a slow broker has not been told yet.
Elections, broker failures, creation and deletion of topics are klamm's own.
"""

from klamm.tools.lab.apache.decide import decide as decide
from klamm.tools.lab.variant import Variant

VARIANT = Variant(
    "apache",
    "Kafka 3.9's own sequence: every write of a move is one of its own, and a crash falls between.",
    "Kafka 3.9, KafkaController.scala (onPartitionReassignment)",
    "failover",
    decide=decide,
)
