"""Blocks of producer ids: each id is given out once in the life of a cluster.

Source: Kafka 3.9, ZkProducerIdManager.getNewProducerIdBlock, ProducerIdsBlock.
"""

from dataclasses import dataclass

from klamm.controller.core.ops import Check, Create, Op, SetData
from klamm.controller.core.results import Fault, Refusal
from klamm.controller.store.port import Read, ReadData, Znode
from klamm.controller.store.transaction import Decision, Found, Note
from klamm.controller.znodes import paths
from klamm.controller.znodes.cluster import (
    ProducerIdBlock,
    decode_producer_id_block,
    encode_producer_id_block,
)
from klamm.controller.znodes.parsing import INT64_MAX

BLOCK_SIZE = 1_000


@dataclass(frozen=True, slots=True)
class AllocateProducerIds:
    """Takes the next block for a broker; `fence` is the office of the controller who gives it."""

    broker: int
    fence: Check

    @property
    def reads(self) -> tuple[Read, ...]:
        """The last block that was given."""
        return (ReadData(paths.PRODUCER_ID_BLOCK),)

    def decide(self, found: tuple[Found, ...]) -> Decision[ProducerIdBlock | Refusal]:
        """Give the block after the last; raises ZnodeError, and then none is given."""
        (present,) = found
        last = decode_producer_id_block(present.data) if isinstance(present, Znode) else None
        first = last.last + 1 if last else 0
        if first > INT64_MAX - BLOCK_SIZE:
            text = f"Have exhausted all producerIds: the last one given out is {first - 1}."
            return Decision(Refusal(Fault.UNKNOWN_SERVER_ERROR, text))
        block = ProducerIdBlock(self.broker, first, first + BLOCK_SIZE - 1)
        data = encode_producer_id_block(block)
        write: Op = Create(paths.PRODUCER_ID_BLOCK, data)
        if isinstance(present, Znode):
            write = SetData(paths.PRODUCER_ID_BLOCK, data, present.version)
        note = Note("producer-ids", f"broker {self.broker}: {block.first}-{block.last}")
        return Decision(block, (write,), self.fence, note)
