"""ZooKeeper's tree, with every change of a znode on record."""

from __future__ import annotations

from collections.abc import Sequence

from klamm.controller.core.ops import Op
from klamm.controller.store.memory_tree import Applied, Failed, Node, Tree
from klamm.tools.lab.events import Content, ZnodeChange


class RecordingTree(Tree):
    """A tree that remembers what its transactions changed until `take` is called."""

    __slots__ = ("_changes",)

    def __init__(self) -> None:
        super().__init__()
        self._changes: list[ZnodeChange] = []

    def take(self) -> list[ZnodeChange]:
        """Return the changes since the last call, in order."""
        changes, self._changes = self._changes, []
        return changes

    def apply(self, ops: Sequence[Op], session: int) -> Applied | Failed:
        """Apply all operations or none, as every tree does."""
        nodes = self.nodes
        before = {op.path: _content(nodes.get(op.path)) for op in ops}
        applied = super().apply(ops, session)
        if isinstance(applied, Applied):
            # A sequential znode has another path than its operation.
            for path in dict.fromkeys(result.path for result in applied.results):
                self._note(path, before.get(path), session)
        return applied

    def remove_ephemerals(self, session: int) -> Applied:
        """Remove what a session owns."""
        owned = {path: _content(node) for path, node in self.nodes.items() if node.owner == session}
        applied = super().remove_ephemerals(session)
        for path, content in owned.items():
            self._note(path, content, session)
        return applied

    def _note(self, path: str, before: Content | None, session: int) -> None:
        after = _content(self.nodes.get(path))
        if before != after:
            self._changes.append(ZnodeChange(path, before, after, session, self.zxid))


def _content(node: Node | None) -> Content | None:
    return None if node is None else Content(node.data, node.version, node.owner)
