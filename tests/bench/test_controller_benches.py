"""The benchmarks of a whole controller run, on next to nothing; figures need a quiet machine."""

from klamm.tools.bench import failover, load, reassign


def test_starting_moves_is_measured_beside_the_same_writes_alone() -> None:
    result = reassign.measure("3.9-IV0", topics=3, partitions=10, rounds=2)
    assert result.partitions == 30
    for each in result.rounds:
        assert each.bare_s > 0
        assert each.ours_s > 0
        assert each.multis == 1
        assert each.ops >= 30 + 3 + 1, "a state per partition, a topic znode each, and the fence"
    assert str(result).endswith(f" {result.ratio:.1f}")


def test_loading_is_measured_beside_reading_alone() -> None:
    result = load.measure(topics=2, partitions=20, rounds=1)
    assert result.partitions == 40
    [only] = result.rounds
    assert only.bare_s > 0
    assert only.load_s > 0
    assert 10 < only.resident_mib <= only.peak_mib
    assert f" {result.ratio:.1f}\n" in str(result)


def test_a_failover_is_measured_to_the_first_list_of_every_move() -> None:
    result = failover.measure(topics=2, partitions=20, moving=3, rounds=1)
    assert (result.moving, result.partitions) == (6, 40)
    [only] = result.rounds
    assert only.failover_s > 0
    assert only.bare_s > 0
    assert f" {result.ratio:.1f} " in str(result)
