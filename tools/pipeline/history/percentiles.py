"""Percentiles as Spark's `percentile` has them, to the last bit."""

from collections.abc import Sequence


def percentile(ranked: Sequence[float], share: float) -> float:
    """Return a percentile of sorted values, on the line between neighbours.

    Raises IndexError without values.
    """
    position = (len(ranked) - 1) * share
    at = int(position)
    if position == at:
        return ranked[at]
    return ranked[at] + (ranked[at + 1] - ranked[at]) * (position - at)
