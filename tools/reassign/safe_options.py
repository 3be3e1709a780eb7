"""Options for changes that can be judged before and taken back after; see options.py."""

from typing import Final

from klamm.tools.reassign.option import Kind, Option
from klamm.tools.reassign.verdicts import CancelRule

SAFE_OPTIONS: Final = (
    Option(
        "cancel-rule",
        "Cancel nothing unless each move passes the rule of a controller: zk always; kraft if an"
        " original replica is alive and in sync; min-isr if min.insync.replicas of them are, or"
        " all are alive and one is in sync; originals if min.insync.replicas of them are. Without"
        " it a warning tells of moves that would lose their data.",
        Kind.TEXT,
        "name",
        choices=tuple(rule.value for rule in CancelRule),
    ),
    Option(
        "check",
        "Tell what --reassignment-json-file would do, and what speaks against it; nothing is"
        " started. Exits with 1 if something does.",
    ),
    Option(
        "no-rollback-file",
        "Do not save the present assignment to a file; it is printed only.",
    ),
    Option(
        "own-throttles",
        "With --throttle, --verify and --cancel: keep what others have set, and remember in a file"
        " beside the plan what is ours: of plan.json plan.throttles.json. Without it throttles are"
        " overwritten and deleted whoever has set them, as Kafka's tool does.",
    ),
    Option(
        "plan-check",
        "Print on standard error what --check tells, and start nothing if something speaks against"
        " the plan.",
    ),
    Option(
        "restore-order",
        "With --cancel: put the replicas back in their order of before the move, which a cancel"
        " alone does not promise. klamm's controller knows the order if it has begun the move"
        " itself and has klamm.describe.reassignments.enable set; exits with 1 where nobody does.",
    ),
    Option(
        "rollback-file",
        "Save the present assignment to this new file, for --execute to go back; also what puts"
        " replicas back in order after --cancel. Without it the file is beside the plan: of"
        " plan.json plan.rollback-TIME.json.",
        Kind.TEXT,
        "file",
    ),
    Option("sweep", "Show throttles that are set although nothing moves that needs them."),
    Option("yes", "With --sweep: remove what is shown."),
)
