"""I8: every request gets one reply."""

from collections.abc import Iterator

from klamm.controller.node.effects import Reply, Transacted
from klamm.tools.lab.invariants.wrong import Wrong
from klamm.tools.lab.observe import Observed
from klamm.tools.lab.seen import Seen
from klamm.tools.lab.written import Digest


def one_reply(world: Seen, seen: Observed, step: Digest) -> Iterator[Wrong]:
    """I8: no request is answered twice, or after its connection has ended.

    That each is answered once everything is quiet is for `klamm.tools.lab.liveness`.
    Source: KAFKA-10193 (F20), catalogue H6 and E14.
    """
    now: set[int] = set()
    for effect in step.happened.effects:
        if isinstance(effect, Reply | Transacted):
            if effect.request in seen.replied or effect.request in now:
                when = "in this very step" if effect.request in now else "in an earlier step"
                yield Wrong(
                    f"{seen.actor} answers request {effect.request} again",
                    (f"answered {when}", f"the answer now: {effect.results}"),
                )
            now.add(effect.request)
    for asked in step.happened.replied:
        if len(asked.responses) > 1 or asked.lost:
            why = "lost before" if asked.lost else f"{len(asked.responses)} answers"
            yield Wrong(
                f"request {asked.number}, {asked.what.name!r}: {why}",
                (
                    f"{asked.node} was asked in step {asked.step}",
                    *(f"answered: {each}" for each in asked.responses),
                ),
            )
