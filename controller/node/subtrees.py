"""Reading all that is below a znode, generation by generation, so that it can be removed."""

from collections.abc import Iterable, Iterator

from klamm.controller.core.events import SubtreeRead
from klamm.controller.store.port import Children, Missing, ReadChildren, ReadResult
from klamm.controller.znodes import paths


class Subtrees:
    """What is below these znodes, of which none is below another."""

    def __init__(self, roots: Iterable[str]) -> None:
        self._below: dict[str, list[str] | None] = {root: [] for root in sorted(roots)}
        #: The root of each znode whose children are asked for.
        self._asked = {root: root for root in self._below}
        self._inner: set[str] = set()

    def first_reads(self) -> list[ReadChildren]:
        """Ask for the first generation."""
        return [ReadChildren(root) for root in self._below]

    def take(self, result: ReadResult) -> list[ReadChildren]:
        """Take what may be an answer; ask for the next generation.

        A znode that ZooKeeper does not show counts as one without children.
        """
        root = self._asked.get(result.path)
        if root is None:
            return []
        match result:
            case Missing() if result.path == root:
                self._below[root] = None
            case Children(path=path, names=names) if (below := self._below[root]) is not None:
                found = [f"{path}/{name}" for name in names]
                below.extend(found)
                self._asked.update(dict.fromkeys(found, root))
                self._inner.update(each for each in found if not _is_listed(each))
                return [ReadChildren(each) for each in found]
        return []

    def is_inner(self, path: str) -> bool:
        """Tell whether only this asks for the znode's children, and nobody else wants to know."""
        return path in self._inner

    def facts(self) -> Iterator[SubtreeRead]:
        """What was found."""
        for root, below in self._below.items():
            # A child's path begins with its parent's, so it comes first in this order.
            yield SubtreeRead(root, None if below is None else tuple(sorted(below, reverse=True)))


def root_of(path: str) -> str:
    """Return which znode is removed as a whole, with what is below it, when this one is removed."""
    match path.split("/")[1:]:
        case [first, second, *_] if f"/{first}" in (paths.ISR_CHANGES, paths.LOG_DIR_EVENTS):
            return f"/{first}/{second}"
        case [first, second, third, *_]:
            return f"/{first}/{second}/{third}"
        case _:
            return path


def _is_listed(path: str) -> bool:
    """Tell whether this is the parent of a topic's partitions, which reading a topic lists."""
    names = path.split("/")
    return path.startswith(f"{paths.TOPICS}/") and names[4:] == ["partitions"]
