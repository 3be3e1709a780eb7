"""`klamm topics --alter` in the dialect of KIP-179: by AlterTopics, replicas and all."""

from __future__ import annotations

from klamm.tools.admin import Admin, AlteredTopic
from klamm.tools.cli._topic_actions import Choice, Say, TopicsError, Wishes, existing


def alter_topics(admin: Admin, choice: Choice, wishes: Wishes, watch: str, say: Say) -> None:
    """Begin to change partitions, replication factor and replicas; raises AdminError, TopicsError.

    What is not wished for stays as it is. `watch` is the command that shows what comes of it.
    """
    names = existing(admin, choice)
    if not names:
        return
    assignment = dict(enumerate(wishes.assignments))
    altered = [
        AlteredTopic(
            name,
            -1 if wishes.partitions is None else wishes.partitions,
            -1 if wishes.replication_factor is None else wishes.replication_factor,
            assignment,
        )
        for name in names
    ]
    outcomes = admin.alter_topics(altered).result().result()
    begun = [name for name, error in outcomes.items() if error is None]
    if begun:
        say(f"Began to alter topic{'' if len(begun) == 1 else 's'} {','.join(begun)}.")
        say(f"To watch: {watch}")
    refused = [f"{name}: {error}" for name, error in outcomes.items() if error is not None]
    if refused:
        raise TopicsError("\n".join(refused))
