"""Rules: the small functions in which one profile differs from another.

A profile is a value of `Rules`. Historical bugs are made elsewhere by replacing one field; the
product itself has no switch for them.
"""

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from klamm.controller.core.model import Assignment, Leadership, Partition
from klamm.controller.core.reassignment import (
    additions_in_sync,
    cancelled,
    finished,
    merge_leaving_first,
    merge_target_first,
    target_in_sync,
)
from klamm.controller.core.results import Refusal
from klamm.controller.core.validation import validate_kafka_order, validate_kip_order

Target = tuple[int, ...] | None
Validate = Callable[[Partition | None, Target, AbstractSet[int]], Refusal | None]


@dataclass(frozen=True, slots=True)
class Rules:
    """One profile.

    `validate` refuses a target given the partition (None if unknown) and the online brokers;
    `merge` makes the assignment on the way to a target, `cancelled` and `finished` those after
    it; `complete` tells whether a move may end; `refuse_unclean` whether a cancel or a new target
    is refused when no live in-sync replica would remain (R455-51); `camel_case` picks the
    spelling of AR and RR in topic znodes (R455-75); `lists_idle` whether 46 answers for a named
    partition that is not moving (R455-36); `success_text` is the top-level error message of 45
    and 46 when there is no error (R455-113); `echoes_denied` whether 46 names the partitions that
    it may not describe (R455-33). Of /admin/reassign_partitions: `api_takes_over`,
    whether a request takes out the entry of its partition (R455-86); `takes_leftovers`, whether
    what else was written there is carried out once the set under way is done (R455-98).
    """

    name: str
    validate: Validate
    merge: Callable[[Assignment, Sequence[int]], Assignment]
    cancelled: Callable[[Assignment], Assignment]
    finished: Callable[[Assignment], Assignment]
    complete: Callable[[Assignment, Leadership, AbstractSet[int]], bool]
    refuse_unclean: bool
    camel_case: bool
    lists_idle: bool
    success_text: str | None
    echoes_denied: bool
    api_takes_over: bool
    takes_leftovers: bool


APACHE_3_9 = Rules(
    name="apache-3.9",
    validate=validate_kafka_order,
    merge=merge_target_first,
    cancelled=cancelled,
    finished=finished,
    complete=target_in_sync,
    refuse_unclean=True,
    camel_case=False,
    lists_idle=False,
    success_text="",
    echoes_denied=True,
    api_takes_over=True,
    takes_leftovers=True,
)

KIP_455 = Rules(
    name="kip-455",
    validate=validate_kip_order,
    merge=merge_leaving_first,
    cancelled=cancelled,
    finished=finished,
    complete=additions_in_sync,
    refuse_unclean=False,
    camel_case=True,
    lists_idle=True,
    success_text=None,
    echoes_denied=False,
    api_takes_over=False,
    takes_leftovers=False,
)

PROFILES = {rules.name: rules for rules in (APACHE_3_9, KIP_455)}
