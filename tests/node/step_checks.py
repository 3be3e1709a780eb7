"""V1 to V8 of steps, by the lines of a journal alone."""

from collections.abc import Iterable

from klamm.controller.core.model import TopicPartition
from klamm.controller.core.pace import UNLIMITED
from klamm.controller.node.forms import Line, PartitionForm, StepForm


class StepChecks:
    """Takes lines in order; AssertionError at the first that breaks an invariant."""

    def __init__(self) -> None:
        self.paces: dict[TopicPartition, PartitionForm] = {}
        self.checked = 0

    def take(self, lines: Iterable[Line]) -> None:
        for each in lines:
            if each.kind in ("started", "snapshot"):
                self.paces.clear()
            if each.content is not None and each.topic is not None:
                for number, partition in each.content.partitions.items():
                    self.paces[TopicPartition(each.topic, number)] = partition
            if each.topic is None or each.partition is None or each.after is None:
                continue
            name = TopicPartition(each.topic, each.partition)
            if each.step is not None and each.before is not None:
                self.checked += 1
                self._check(each, each.step, each.before, each.after, name)
            self._whole(each, each.after)
            self.paces[name] = each.after

    def _check(
        self,
        line: Line,
        step: StepForm,
        before: PartitionForm,
        after: PartitionForm,
        name: TopicPartition,
    ) -> None:
        target = tuple(b for b in before.replicas if b not in before.removing)
        if line.kind == "step-begin":
            most = step.limit if step.number > 1 else max(step.limit, step.min_isr)
            assert len(step.added) <= most, ("V3", line)
            running = [
                other.pace.running.kind
                for at, other in self.paces.items()
                if at != name and other.pace and other.pace.running
            ]
            assert len(running) < step.limits.partitions, ("V4", line)
            if step.kind == "leader":
                assert running.count("leader") < step.limits.leaders, ("V4", line)
        if line.kind == "step-end":
            had, has = len(before.isr), len(after.isr)
            assert has >= min(step.min_isr, len(target), had), ("V1", line)
            if step.limit != UNLIMITED:
                assert len(step.dropped) <= step.limit, ("V3", line)
                assert before.leader not in step.dropped, ("V8", line)
                if step.kind != "leader":
                    assert before.leader == after.leader, ("V8", line)
            hosted = before.pace.hosted if before.pace else before.replicas
            assert len(step.hosted) >= min(len(hosted), len(target)), ("V7", line)
            if not (after.adding or after.removing):
                assert after.replicas == target, ("V5", line)
                assert step.limit == UNLIMITED or after.leader == target[0], ("V5", line)

    def _whole(self, line: Line, after: PartitionForm) -> None:
        adding, removing = set(after.adding), set(after.removing)
        assert not adding & removing, ("V6", line)
        assert len(set(after.replicas)) == len(after.replicas), ("V6", line)
        assert adding | removing <= set(after.replicas), ("V6", line)
        if after.pace is not None:
            assert set(after.isr) <= set(after.pace.hosted) or after.leader == -1, line
            assert set(after.pace.hosted) <= set(after.replicas), line
