"""ZooKeeper's data tree and its transactions, as a plain value with exact semantics.

Follows ZooKeeper 3.9's PrepRequestProcessor (which error, checked in which order) and DataTree
(versions, zxids, watch events). An ACL lets everybody do everything, or nobody anything. Not
there: quotas, TTL and container znodes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from klamm.controller.store.port import (
    ANY_VERSION,
    Check,
    Children,
    Create,
    Delete,
    Missing,
    Op,
    OpError,
    OpResult,
    Read,
    ReadData,
    ReadResult,
    Refused,
    SetData,
    Unreadable,
    WatchKind,
    Znode,
)

_NO_AUTH = "NOAUTH"


@dataclass(slots=True)
class Node:
    """One znode. `creates` counts the children ever made; sequential names take it.

    No session may read or write a `closed` one, or make and remove its children.
    """

    data: bytes | None
    czxid: int
    mzxid: int
    owner: int = 0
    version: int = 0
    creates: int = 0
    children: set[str] = field(default_factory=set)
    closed: bool = False


@dataclass(frozen=True, slots=True)
class Failed:
    """The operation that failed first, and why; nothing was applied."""

    index: int
    error: OpError | Refused


@dataclass(frozen=True, slots=True)
class Applied:
    """One result per operation, and what watches of these paths see, in order."""

    results: tuple[OpResult, ...]
    events: tuple[tuple[WatchKind, str], ...]


class _OpFailed(Exception):
    def __init__(self, error: OpError | Refused) -> None:
        super().__init__(error)
        self.error = error


@dataclass(slots=True)
class Tree:
    """All znodes by path. Every write attempt takes a zxid, also one that fails."""

    nodes: dict[str, Node] = field(default_factory=lambda: {"/": Node(None, 0, 0)})
    zxid: int = 0

    def apply(self, ops: Sequence[Op], session: int) -> Applied | Failed:
        """Apply all operations in order, each on what the ones before left, or none."""
        self.zxid += 1
        transaction = _Transaction(self, session)
        for index, op in enumerate(ops):
            try:
                transaction.apply(op)
            except _OpFailed as failed:
                transaction.undo()
                return Failed(index, failed.error)
        return Applied(tuple(transaction.results), tuple(transaction.events))

    def copy(self) -> Tree:
        """Return this moment's tree."""
        nodes = {
            path: replace(node, children=set(node.children)) for path, node in self.nodes.items()
        }
        return Tree(nodes, self.zxid)

    def remove_ephemerals(self, session: int) -> Applied:
        """Remove what a session owns, in one transaction."""
        self.zxid += 1
        transaction = _Transaction(self, session)
        for path in [path for path, node in self.nodes.items() if node.owner == session]:
            transaction.delete(path)
        return Applied(tuple(transaction.results), tuple(transaction.events))

    def read(self, read: Read) -> ReadResult:
        """Read one znode's data or children."""
        node = self.nodes.get(read.path)
        if node is None:
            return Missing(read.path)
        if node.closed:
            return Unreadable(read.path, _NO_AUTH)
        if isinstance(read, ReadData):
            version, czxid, mzxid, owner = node.version, node.czxid, node.mzxid, node.owner
            return Znode(read.path, node.data, version, czxid, mzxid, owner)
        names = tuple(sorted(node.children))
        return Children(read.path, names, 2 * node.creates - len(names), node.czxid)


class _Transaction:
    def __init__(self, tree: Tree, session: int) -> None:
        self.results: list[OpResult] = []
        self.events: list[tuple[WatchKind, str]] = []
        self._nodes = tree.nodes
        self._zxid = tree.zxid
        self._session = session
        self._undo: list[Callable[[], None]] = []

    def apply(self, op: Op) -> None:
        match op:
            case Check(path, version):
                self._expect(path, version)
                self.results.append(OpResult(path))
            case SetData(path, data, version):
                self._set(path, self._expect(path, version), data)
            case Create():
                self._create(op)
            case Delete(path, version):
                if path == "/":
                    raise _OpFailed(Refused("/: BADARGUMENTS"))
                if self._expect(path, version, deleting=True).children:
                    raise _OpFailed(OpError.NOT_EMPTY)
                self.delete(path)

    def undo(self) -> None:
        for step in reversed(self._undo):
            step()

    def delete(self, path: str) -> None:
        node = self._nodes.pop(path)
        parent, name = _split(path)
        siblings = self._nodes[parent].children
        siblings.remove(name)
        self._undo += (lambda: siblings.add(name), lambda: self._nodes.update({path: node}))
        self.results.append(OpResult(path))
        self.events += ((WatchKind.DELETED, path), (WatchKind.CHILDREN_CHANGED, parent))

    def _set(self, path: str, node: Node, data: bytes | None) -> None:
        before = node.data, node.version, node.mzxid

        def undo() -> None:
            node.data, node.version, node.mzxid = before

        self._undo.append(undo)
        node.data, node.version, node.mzxid = data, node.version + 1, self._zxid
        self.results.append(OpResult(path, node.version, node.czxid, node.mzxid))
        self.events.append((WatchKind.DATA_CHANGED, path))

    def _create(self, op: Create) -> None:
        parent_path = _split(op.path)[0]
        parent = self._nodes.get(parent_path)
        if parent is None:
            raise _OpFailed(OpError.NO_NODE)
        self._require_open(parent, op.path)
        _validate(op.path + "1" if op.sequential else op.path)
        path = f"{op.path}{parent.creates:010d}" if op.sequential else op.path
        if path in self._nodes:
            raise _OpFailed(OpError.NODE_EXISTS)
        if parent.owner:
            raise _OpFailed(Refused(f"{op.path}: NOCHILDRENFOREPHEMERALS"))
        name = _split(path)[1]

        def undo() -> None:
            parent.creates -= 1
            parent.children.remove(name)
            del self._nodes[path]

        self._undo.append(undo)
        parent.creates += 1
        parent.children.add(name)
        owner = self._session if op.ephemeral else 0
        self._nodes[path] = Node(op.data, self._zxid, self._zxid, owner)
        self.results.append(OpResult(path, 0, self._zxid, self._zxid))
        self.events += ((WatchKind.CREATED, path), (WatchKind.CHILDREN_CHANGED, parent_path))

    def _expect(self, path: str, version: int, deleting: bool = False) -> Node:
        """Return a znode that is there, at this version, and may be touched.

        For a deletion the parent's ACL decides, and before it is told what there is to delete.
        """
        _validate(path)
        node = self._nodes.get(path)
        guard = self._nodes.get(_split(path)[0]) if deleting else node
        if guard is not None:
            self._require_open(guard, path)
        if node is None:
            raise _OpFailed(OpError.NO_NODE)
        if version not in (ANY_VERSION, node.version):
            raise _OpFailed(OpError.BAD_VERSION)
        return node

    def _require_open(self, node: Node, path: str) -> None:
        """Refuse what a session may not touch; somebody else's write may touch everything."""
        if node.closed and self._session:
            raise _OpFailed(Refused(f"{path}: {_NO_AUTH}"))


def _split(path: str) -> tuple[str, str]:
    parent, _, name = path.rpartition("/")
    return parent or "/", name


def ancestors(path: str) -> Iterator[str]:
    """Yield a path, its parent, and so on up to the root."""
    while path != "/":
        yield path
        path = _split(path)[0]
    yield path


def _validate(path: str) -> None:
    """Refuse what ZooKeeper's PathUtils refuses."""
    names = path.split("/")[1:]
    if path != "/" and (not path.startswith("/") or {"", ".", ".."} & set(names) or "\0" in path):
        raise _OpFailed(Refused(f"{path}: BADARGUMENTS"))
