"""Small pieces of sentences."""

from collections.abc import Collection, Iterable, Sequence

from klamm.tools.admin.names import TopicPartition


def listed(brokers: Iterable[int]) -> str:
    """Write broker ids one after the other."""
    return ", ".join(map(str, brokers))


def brokers_text(brokers: Collection[int]) -> str:
    """Write `broker 3`, or `brokers 3, 4`."""
    return f"broker{'' if len(brokers) == 1 else 's'} {listed(brokers)}"


def span(seconds: float) -> str:
    """Write a time as people say it.

    >>> span(4), span(200), span(9_000), span(1e7)
    ('4 s', '3 min', '2.5 h', '116 days')
    """
    if seconds < 100:
        return f"{seconds:.0f} s"
    if seconds < 6000:
        return f"{seconds / 60:.0f} min"
    if seconds < 48 * 3600:
        return f"{seconds / 3600:.1f} h"
    return f"{seconds / 86400:.0f} days"


def names_text(names: Iterable[TopicPartition], most: int = 8) -> str:
    """Write partitions one after the other, those that follow each other as one; `most` of these.

    >>> names_text([TopicPartition("t", each) for each in (0, 1, 2, 5, 7, 8)])
    't-0 to t-2, t-5, t-7, t-8'
    >>> names_text([TopicPartition("t", each) for each in (0, 2, 4, 6)], most=2)
    't-0, t-2 and 2 more'
    """
    runs: list[list[TopicPartition]] = []
    for name in sorted(names):
        if runs and runs[-1][-1] == (name.topic, name.partition - 1):
            runs[-1].append(name)
        else:
            runs.append([name])
    text = ", ".join(map(_run_text, runs[:most]))
    left = sum(map(len, runs[most:]))
    return f"{text} and {left} more" if left else text


def _run_text(names: Sequence[TopicPartition]) -> str:
    if len(names) < 3:
        return ", ".join(map(str, names))
    return f"{names[0]} to {names[-1]}"
