"""The benchmark of steps, on next to nothing; figures need a quiet machine."""

from klamm.tools.bench.batching import caught_up, cluster, measure, run


def test_choosing_is_measured_beside_the_obvious_way() -> None:
    result = measure(pending=20, running=10, ending=2, rounds=1, per_topic=10)
    assert (result.pending, result.running, result.ending) == (20, 10, 2)
    for seconds in (*result.choice_s, *result.obvious_s, *result.turns_s):
        assert seconds > 0
    assert f"ratio {result.ratio:,.1f}" in str(result)


def test_what_is_measured_ends_steps_and_begins_others() -> None:
    before = cluster(30, 10, 10)
    after = run(before, caught_up(before, 2))
    assert len(before.slots.running) == len(after.slots.running) == 10
    assert before.slots.running_leaders == 1, "the limit of leaders is 1 of 10"
    ended = [
        name
        for name, partition in before.moving()
        if after.topics[name.topic].partitions[name.partition].assignment != partition.assignment
    ]
    assert ended, "a step that has ended drops a replica"
