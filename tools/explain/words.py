"""Small pieces of sentences."""

from collections.abc import Collection, Iterable


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
