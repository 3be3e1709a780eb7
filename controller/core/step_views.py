"""The steps of moves as the durable state has them, for those who show them."""

from collections.abc import Iterable, Iterator

from klamm.controller.core.model import ClusterState, TopicPartition
from klamm.controller.core.pace import UNLIMITED, RunningStep
from klamm.controller.core.steps import Situation, measure, planned


def running_steps(
    state: ClusterState, names: Iterable[TopicPartition] | None = None
) -> Iterator[tuple[TopicPartition, RunningStep]]:
    """Yield the steps that run, by topic and partition; of these partitions alone if given."""
    running = state.slots.running
    for name in running if names is None else sorted(set(names)):
        partition = state.partition(name)
        if partition is not None and partition.pace and partition.pace.running:
            yield name, partition.pace.running


def replicas_after(
    state: ClusterState, name: TopicPartition, running: RunningStep
) -> tuple[int, ...]:
    """Return the replicas that a running step leads to; KeyError if the partition is unknown."""
    return planned(_situation(state, name), running)


def steps_left(state: ClusterState, name: TopicPartition) -> int:
    """Return how many steps the move takes at most from now on, one that runs among them.

    That is without anything going wrong: every step makes the measure less. KeyError as above.
    """
    if state.limits.replicas == UNLIMITED:
        return 1
    return max(measure(_situation(state, name)), 1)


def _situation(state: ClusterState, name: TopicPartition) -> Situation:
    partition = state.partition(name)
    if partition is None:
        raise KeyError(f"no partition {name}")
    failed = {broker for broker in state.alive if state.is_offline(name, broker)}
    return Situation.of(partition, state.alive - failed, state.min_isr.of(name.topic))
