"""Znodes that cannot be read, as the facts of a turn leave them."""

from collections import defaultdict
from collections.abc import Iterator, Mapping

from klamm.controller.core.changes import SetUnreadable
from klamm.controller.znodes import paths


class Unreadable:
    """By path why a znode cannot be read; copied at the first fact, however many follow."""

    def __init__(self, known: Mapping[str, str]) -> None:
        self.texts = known
        self._own: dict[str, str] | None = None
        self._by_topic: dict[str, set[str]] = {}

    def set_aside(self, path: str, text: str) -> None:
        """Note that this znode cannot be read."""
        texts = self._owned()
        texts[path] = text
        self._by_topic[_topic_path(path)].add(path)

    def take_up(self, path: str) -> bool:
        """Note that this znode, with those below it, was read; tell whether one was set aside."""
        if not self.texts:
            return False
        texts = self._owned()
        of_topic = self._by_topic[_topic_path(path)]
        mended = [each for each in of_topic if each == path or each.startswith(f"{path}/")]
        for each in mended:
            del texts[each]
        of_topic.difference_update(mended)
        return bool(mended)

    def changes(self, known: Mapping[str, str]) -> Iterator[SetUnreadable]:
        """What the facts change of what was `known` before."""
        if self._own is not None and self._own != known:
            yield SetUnreadable(self._own)

    def _owned(self) -> dict[str, str]:
        if self._own is None:
            self.texts = self._own = dict(self.texts)
            self._by_topic = defaultdict(set)
            for path in self._own:
                self._by_topic[_topic_path(path)].add(path)
        return self._own


def _topic_path(path: str) -> str:
    """The path of the topic that a topic's or state's path is about; any other is its own."""
    if not path.startswith(f"{paths.TOPICS}/"):
        return path
    name, _, _ = path.removeprefix(f"{paths.TOPICS}/").partition("/")
    return paths.topic(name)
