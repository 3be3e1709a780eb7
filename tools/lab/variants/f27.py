"""F27: each finished move rewrites the whole znode of orders."""

from klamm.controller.core import admin_entries
from klamm.controller.core.changes import SetAdmin
from klamm.controller.core.draft import Draft, Step
from klamm.controller.core.events import Cause, TidyEntries
from klamm.controller.znodes import paths
from klamm.tools.lab.exhibit import Case, Stage
from klamm.tools.lab.studies import THREE_PARTITIONS
from klamm.tools.lab.variant import OWN_SCRIPT, Variant
from klamm.tools.lab.variants._orders import is_done, order
from klamm.tools.lab.variants._ways import deciding


def _tidy(draft: Draft, cause: Cause, event: TidyEntries) -> None:
    """Take one finished entry out, write all that are left, and begin again."""
    admin = draft.state.admin
    finished = [
        name for name, to in admin.accepted.items() if is_done(draft.state.partition(name), to)
    ]
    if len(finished) < 2:
        admin_entries.tidy(draft, cause, event)
        return
    kept, accepted = admin.without(finished[:1])
    draft.admin = admin.after(kept, accepted)
    changes = (SetAdmin(draft.admin),)
    step = Step((cause.id,), (admin.removal(kept),), changes, follow_ups=(TidyEntries(),))
    draft.steps.append(step)


def _writes(stage: Stage) -> int:
    """Count how often somebody in the cluster has written the admin znode."""
    return sum(
        change.path == paths.REASSIGN_PARTITIONS and change.session != 0
        for happened in stage.world.events
        for change in happened.znodes
    )


def _script(stage: Stage) -> None:
    world = stage.world
    stage.say("A tool moves three partitions, which takes no time.")
    order(world, *(("t", number, (1, 4)) for number in range(3)))
    world.settle()
    world.advance(2.0)
    stage.claim(not stage.exists(paths.REASSIGN_PARTITIONS), "all three are done")
    count = _writes(stage)
    stage.claim(count == 1, f"one write took all three out of the znode, not {count}")
    stage.rest()


SCRIPT = Case("klamm", THREE_PARTITIONS, _script)
VARIANT = Variant(
    id="F27",
    story="Whenever one move had ended, the controller took its entry out of the znode and wrote"
    " all the others back. With n moves that is n writes of up to n entries: for 30,000 partitions"
    " the JSON alone came to tens of gigabytes, and the controller did little but collect garbage."
    " The fix made each write cheaper. klamm takes out whatever has ended at most once a second, in"
    " one write.",
    reference="KAFKA-6617, d99f4a0ffa6 (2.0.0)",
    exposed_by=OWN_SCRIPT,
    decide=deciding(TidyEntries, _tidy),
)
