"""`klamm topics --alter` in the dialect of KIP-179: by AlterTopics, replicas and all."""

from __future__ import annotations

from klamm.tools.admin import Admin, AlteredTopic
from klamm.tools.cli._topic_actions import Choice, TopicsError, Wishes, existing


def alter_topics(admin: Admin, choice: Choice, wishes: Wishes) -> None:
    """Begin to change partitions, replication factor and replicas; raises AdminError, TopicsError.

    What is not wished for stays as it is.
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
    refused = [f"{name}: {error}" for name, error in outcomes.items() if error is not None]
    if refused:
        raise TopicsError("\n".join(refused))
