"""Deletions that start although something of the topic moves."""

from klamm.controller.core.deletion import begun, farewell
from klamm.controller.core.draft import Draft
from klamm.controller.core.model import Deletion, Topic
from klamm.controller.core.results import Done


def begin(draft: Draft, topic: Topic, deletion: Deletion) -> None:
    """Begin a deletion that is queued, without a look at what moves."""
    started = begun(draft, topic, deletion.listed)
    draft.queue(topic.name, started)
    for name in draft.owing(topic.name):
        draft.release(name)
    draft.messages.extend(farewell(draft, topic, started))
    draft.results.extend((waiter, Done()) for waiter in deletion.waiters)
    draft.note("deletion-started", topic=topic.name)
