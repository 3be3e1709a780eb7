"""What brokers refuse, for operators: each refusal once, until it changes or is done."""

from collections import defaultdict
from collections.abc import Collection, Iterator

from klamm.controller.brokers.outbox import Kind, Outbox
from klamm.controller.core.model import TopicPartition
from klamm.controller.node.effects import Effect, Journal, Severity
from klamm.protocol.error_codes import ErrorCode

#: A leader that answers 11 for a partition has the epoch that it was told, or a newer one.
HAS_THE_EPOCH = (ErrorCode.NONE, ErrorCode.STALE_CONTROLLER_EPOCH)


def notes(
    outbox: Outbox, kind: Kind, code: int, partitions: dict[TopicPartition, int]
) -> Iterator[Effect]:
    """Report refusals, a line for each code; a partition's 11 is none.

    A request that is refused is sent again and again: what the broker has refused with the same
    code before, and not done since, is no news.
    """
    broker, request = outbox.broker.id, kind.name
    if _is_news(outbox, kind, None, code, (ErrorCode.NONE,)):
        text = f"broker {broker} answered {request} with {_name(code)}"
        yield Journal(Severity.WARNING, "refused", text)
    refused = defaultdict(list)
    for name, partition_code in partitions.items():
        if _is_news(outbox, kind, name, partition_code, HAS_THE_EPOCH):
            refused[partition_code].append(name)
    for partition_code, (name, *others) in refused.items():
        what = f"{name} and {len(others)} more" if others else f"{name}"
        text = f"broker {broker} answered {request} of {what} with {_name(partition_code)}"
        yield Journal(Severity.WARNING, "refused", text)


def _is_news(
    outbox: Outbox, kind: Kind, name: TopicPartition | None, code: int, good: Collection[int]
) -> bool:
    """Tell whether an answer is another refusal than the last one, and keep it in mind."""
    known = outbox.refusals.pop((kind, name), None)
    if code in good:
        return False
    outbox.refusals[kind, name] = code
    return code != known


def _name(code: int) -> str:
    """Return the code's name, or its number if it is newer than we are."""
    known = code in ErrorCode._value2member_map_
    return ErrorCode(code).name if known else f"error code {code}"
