"""The store's benchmarks run, on next to nothing; their figures are for a quiet machine."""

from klamm.tools.bench import store_read, store_watch


def test_reading_is_measured_both_ways() -> None:
    result = store_read.measure(topics=3, partitions=200, say=lambda _: None)
    assert result.states == 600
    assert 0 < result.first_part_s <= result.ours_s
    assert str(result).endswith(f" {result.gets_s / result.ours_s:.1f}")


def test_watching_is_measured_in_all_three_ways() -> None:
    costs = store_watch.measure(200)
    assert list(costs) == ["recursive", "single", "one-shot"]
    assert all(cost.armed_s > 0 and cost.fired_s > 0 for cost in costs.values())
