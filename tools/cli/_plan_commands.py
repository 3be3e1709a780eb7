"""The five kinds of plan as commands, for `klamm plan` and for `klamm pipeline plan`."""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from klamm.tools.cli import _plan_show
from klamm.tools.cli._plan_options import Wish, plan_options
from klamm.tools.planner import intents
from klamm.tools.planner.goal import Cluster, Goal, PlanError
from klamm.tools.planner.runner import Runner
from klamm.tools.reassign.output import CommandError
from klamm.tools.reassign.plan_files import parse_brokers, parse_topics

if TYPE_CHECKING:
    from klamm.tools.planner.facts import Facts

#: What opens the runner, given the options that only one of the two groups has.
Opened = Callable[[dict[str, Any]], AbstractContextManager[Runner]]


def _ids(ctx: click.Context, param: click.Parameter, value: str) -> list[int]:
    try:
        return parse_brokers(value)
    except CommandError as error:
        raise click.BadParameter(str(error), ctx, param) from error


def _brokers(text: str, *names: str) -> Callable[[Any], Any]:
    return click.option(
        "--brokers", *names, required=True, metavar="ID,ID,...", callback=_ids, help=text
    )


_topic = click.option("--topic", "topics", multiple=True, help="Only this topic; may be repeated.")
_by_bytes = click.option(
    "--by",
    type=click.Choice(["replicas", "bytes"]),
    default="replicas",
    show_default=True,
    help="What is to be level.",
)
_tolerance = click.option(
    "--tolerance",
    type=click.FloatRange(0, 100),
    default=intents.TOLERANCE * 100,
    show_default=True,
    help="How far bytes may be from the fair share, in percent.",
)


def add_to(group: click.Group, opened: Opened, more: Callable[[Any], Any]) -> None:
    """Add the commands to a group; `more` gives each the options that `opened` reads."""
    for add in (_generate, _drain, _expand, _rf, _rebalance):
        add(group, partial(_carry_out, opened), more)


def _generate(group: click.Group, do: Callable[..., None], more: Callable[[Any], Any]) -> None:
    @group.command()
    @_topic
    @click.option(
        "--topics-to-move-json-file",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        help="The topics, in a file as the stock tool takes it.",
    )
    @_brokers("The brokers that they are to be on.", "--broker-list", "brokers")
    @plan_options
    @more
    def generate(
        topics: Collection[str],
        topics_to_move_json_file: Path | None,
        brokers: list[int],
        wish: Wish,
        **others: Any,  # noqa: ANN401
    ) -> None:
        """Put topics onto a list of brokers, level among them.

        As the stock --generate, but what stands well stays where it is.
        """
        named = [*topics]
        if topics_to_move_json_file is not None:
            try:
                named += parse_topics(topics_to_move_json_file.read_text(encoding="utf-8"))
            except (CommandError, OSError, UnicodeDecodeError) as error:
                raise click.BadParameter(
                    str(error), param_hint="--topics-to-move-json-file"
                ) from error
        if not named:
            raise click.UsageError("Name topics: --topic NAME or --topics-to-move-json-file FILE.")
        do("generate", wish, others, lambda at: intents.generate(at, named, brokers))


def _drain(group: click.Group, do: Callable[..., None], more: Callable[[Any], Any]) -> None:
    @group.command()
    @_brokers("The brokers to empty; they may be dead.")
    @_topic
    @plan_options
    @more
    def drain(
        brokers: list[int],
        topics: Collection[str],
        wish: Wish,
        **others: Any,  # noqa: ANN401
    ) -> None:
        """Empty brokers; nothing else is touched."""
        do("drain", wish, others, lambda at: intents.drain(at, brokers, topics or None))


def _expand(group: click.Group, do: Callable[..., None], more: Callable[[Any], Any]) -> None:
    @group.command()
    @_brokers("The new brokers.")
    @_topic
    @_by_bytes
    @_tolerance
    @plan_options
    @more
    def expand(
        brokers: list[int],
        topics: Collection[str],
        by: str,
        tolerance: float,
        wish: Wish,
        **others: Any,  # noqa: ANN401
    ) -> None:
        """Give new brokers their fair share; no other broker gets anything."""
        do(
            "expand",
            wish,
            others,
            lambda at: intents.expand(
                at, brokers, topics or None, by_bytes=by == "bytes", tolerance=tolerance / 100
            ),
        )


def _rf(group: click.Group, do: Callable[..., None], more: Callable[[Any], Any]) -> None:
    @group.command()
    @click.option("--topic", "topics", multiple=True, required=True, help="May be repeated.")
    @click.option("--replication-factor", type=int, required=True, help="How many replicas.")
    @plan_options
    @more
    def rf(
        topics: Collection[str],
        replication_factor: int,
        wish: Wish,
        **others: Any,  # noqa: ANN401
    ) -> None:
        """Raise or lower the replication factor of topics, and of nothing else."""
        do(
            "replication factor",
            wish,
            others,
            lambda at: intents.replication_factor(at, topics, replication_factor),
        )


def _rebalance(group: click.Group, do: Callable[..., None], more: Callable[[Any], Any]) -> None:
    @group.command()
    @_topic
    @click.option(
        "--by",
        type=click.Choice(["replicas", "bytes", "leaders"]),
        default="replicas",
        show_default=True,
        help="What is to be level; leaders by the order of replicas alone.",
    )
    @_tolerance
    @plan_options
    @more
    def rebalance(
        topics: Collection[str],
        by: str,
        tolerance: float,
        wish: Wish,
        **others: Any,  # noqa: ANN401
    ) -> None:
        """Level replicas, bytes or leaders over all brokers."""
        chosen = topics or None
        if by == "leaders":
            do("rebalance", wish, others, lambda at: intents.leaders(at, chosen))
            return
        do(
            "rebalance",
            wish,
            others,
            lambda at: intents.rebalance(
                at, chosen, by_bytes=by == "bytes", tolerance=tolerance / 100
            ),
        )


def _carry_out(
    opened: Opened,
    what: str,
    wish: Wish,
    others: dict[str, Any],
    intent: Callable[[Cluster], Goal],
) -> None:
    """Make the plan, write its files and say what it comes to; 1 if something was left out."""
    # The solver takes a while to be imported, and --help has no need of it.
    from klamm.tools.planner import facts, files
    from klamm.tools.planner.batches import Limit, portions
    from klamm.tools.planner.plan import make

    try:
        cluster = Cluster.of(wish.read_cluster(), rack_aware=not wish.disable_rack_aware)
        goal = intent(cluster)
        with opened(others) as runner:
            plan = make(goal, runner, seed=wish.seed, effort=wish.effort)
    except PlanError as error:
        raise click.UsageError(str(error)) from error
    batches = portions(plan.changes, Limit(wish.batch, wish.batch_bytes))
    found = facts.of(plan, what, [len(each) for each in batches], wish.seed)
    written = files.texts(wish.to, plan.changes, batches, wish.rollback_file)
    try:
        if plan.changes:
            files.write(wish.to, written, force=wish.force)
        if wish.report is not None:
            _write_page(found, wish.report)
    except FileExistsError as error:
        raise click.BadParameter(str(error), param_hint="--to") from error
    except OSError as error:
        raise click.ClickException(str(error)) from error
    if wish.as_json:
        click.echo(msgspec.json.encode(found))
    else:
        for line in _plan_show.lines(found):
            click.echo(line)
    _tell(wish, list(written) if plan.changes else [])
    for name, reason in list(found.left_out.items())[:20]:
        click.echo(f"left out: {name}: {reason}", err=True)
    if found.left_out:
        click.echo(f"{len(found.left_out)} partitions were left out", err=True)
        raise SystemExit(1)


def _tell(wish: Wish, written: list[Path]) -> None:
    if written:
        plan, rollback, *batches = written
        click.echo(f"plan      {plan}", err=True)
        click.echo(f"rollback  {rollback}", err=True)
        if batches:
            click.echo(f"batches   {batches[0]} to {batches[-1].name}", err=True)
    else:
        click.echo("Nothing needs to change; no plan is written.", err=True)
    if wish.report is not None:
        click.echo(f"page      {wish.report}", err=True)


def _write_page(found: Facts, path: Path) -> None:
    from klamm.tools.pipeline.reports.plan import page

    page(found).write(path)
