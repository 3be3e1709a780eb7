"""I1: at most one controller's writes take effect in each epoch."""

from collections.abc import Iterator

from klamm.controller.znodes import paths
from klamm.tools.lab.invariants.wrong import Wrong
from klamm.tools.lab.observe import Observed
from klamm.tools.lab.seen import Seen
from klamm.tools.lab.written import Digest, StateWrite, TopicWrite, written

#: What only a controller writes; the nodes' own registrations are none of it.
_CONTROLLERS = (f"{paths.TOPICS}/", f"{paths.KLAMM}/", "/admin/")
#: What any node makes before the first election, and anybody's registration.
_ANYBODYS = frozenset((*paths.PERSISTENT_PATHS, *paths.KLAMM_PATHS))


def one_controller_per_epoch(world: Seen, seen: Observed, step: Digest) -> Iterator[Wrong]:
    """I1: what a node writes as controller, it writes in the epoch that its session began.

    Source: KafkaZkClient, whose multis check the epoch znode's version (KAFKA-6082); AtMostOne
    controller in Vanlightly's kafka-tlaplus, kafka_zk model. Whoever raises the epoch raises it.
    """
    for write in step.writes:
        if not write.by or not _is_controllers(write.path) or write.session == write.incumbent:
            continue
        incumbent = seen.node_sessions.get(write.incumbent, "nobody here")
        yield Wrong(
            f"{write.by} has written {write.path} in an epoch that is not its own",
            (
                f"version {write.version}, written with session {write.session}"
                if write.version >= 0
                else f"removed with session {write.session}",
                f"epoch {seen.epoch} was begun by {incumbent}, session {write.incumbent}",
                *_values(step, write.path),
            ),
        )
    for raised in step.epochs:
        if raised.by and (raised.epoch is None or raised.epoch <= raised.before):
            text = f"{raised.by} began epoch {raised.epoch} after epoch {raised.before}"
            yield Wrong(text, (f"written with session {raised.session} to {raised.path}",))


def _values(step: Digest, path: str) -> Iterator[str]:
    """Tell what a topic or state znode said before a step, and says after it."""
    both: list[TopicWrite | StateWrite] = [*step.topics, *step.states]
    for write in both:
        if write.path == path:
            yield from written(write)


def _is_controllers(path: str) -> bool:
    return (
        path.startswith(_CONTROLLERS)
        and path not in _ANYBODYS
        and not path.startswith(f"{paths.KLAMM_NODES}/")
    )
