"""`klamm chaos`: a cluster of processes that are killed, frozen and cut off, and judged."""

import contextlib
import secrets
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import click
import trio

from klamm.tools.chaos.history import HISTORY, AnyEvent, HistoryError, read
from klamm.tools.chaos.judge import Verdict, counts, judge, load_journals
from klamm.tools.chaos.run import ChaosError, Settings, conduct
from klamm.tools.chaos.terms import Journals
from klamm.tools.cli._running import (
    ReadyFileError,
    announced,
    plain_faults,
    ready_file_option,
    set_up_logging,
    until_signal,
)
from klamm.tools.embedded.errors import EmbeddedError

_FAULTS = (ChaosError, EmbeddedError, HistoryError, ReadyFileError)
_SHOWN = 5


@click.command()
@click.option(
    "--seconds",
    type=click.FloatRange(5),
    default=60.0,
    show_default=True,
    help="For how long things are broken and clients work; healing comes after that.",
)
@click.option("--seed", type=int, help="Decides faults and requests; without it a new one.")
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where history, journals and logs go, and stay; without it they stay only on failure.",
)
@click.option(
    "--judge",
    "judged",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Run nothing; judge the history in this folder again.",
)
@ready_file_option
def command(
    seconds: float,
    seed: int | None,
    folder: Path | None,
    judged: Path | None,
    ready_file: Path | None,
) -> None:
    """Break a cluster at random for a while, let it heal, and judge what it has done.

    \b
    Three nodes behind proxies, a real ZooKeeper and six simulated brokers. Nodes are killed,
    frozen and cut off, ZooKeeper is restarted, brokers come and go, while clients submit and
    cancel moves. The status is 1 if a promise was broken.
    """
    set_up_logging()
    try:
        if judged is not None:
            ok = _report(judged)
        else:
            ok = _run(Settings(_seed(seed), seconds), folder, ready_file)
    except _FAULTS as error:
        raise click.ClickException(str(error)) from error
    sys.exit(0 if ok else 1)


def _seed(given: int | None) -> int:
    return secrets.randbelow(1_000_000) if given is None else given


def _run(settings: Settings, folder: Path | None, ready_file: Path | None) -> bool:
    place = folder or Path(tempfile.mkdtemp(prefix="klamm-chaos-"))
    place.mkdir(parents=True, exist_ok=True)
    place = place.absolute()
    if (place / HISTORY).exists():
        raise HistoryError(f"{place} holds the history of another run: --folder")
    click.echo(f"starting ZooKeeper, three nodes and six brokers; files in {place}")
    finished = False

    async def work() -> None:
        nonlocal finished
        with contextlib.ExitStack() as stack:
            await conduct(
                settings,
                place,
                click.echo,
                lambda description: stack.enter_context(announced(ready_file, description)),
            )
        finished = True

    with plain_faults(*_FAULTS):
        trio.run(until_signal, work)
    if not finished:
        raise ChaosError(f"interrupted; what there is of the history is in {place}")
    ok = _report(place)
    if ok and folder is None:
        shutil.rmtree(place)
    return ok


def _report(folder: Path) -> bool:
    events, journals = read(folder), load_journals(folder)
    verdicts = judge(events, journals)
    for line in summary(events, journals, verdicts):
        click.echo(line)
    ok = not any(verdict.problems for verdict in verdicts)
    if not ok:
        click.echo(f"look at {folder / HISTORY} and at the journals and logs beside it;")
        click.echo(f"judged again by: klamm chaos --judge {folder}")
    return ok


def summary(
    events: Sequence[AnyEvent], journals: Journals, verdicts: Sequence[Verdict]
) -> list[str]:
    """Tell what happened and what was judged of it, line by line."""
    lines = [f"  {count:>7}  {name}" for name, count in counts(events, journals).items()]
    for verdict in verdicts:
        lines.append(f"  {'BROKEN' if verdict.problems else 'ok':>7}  {verdict.matter}")
        lines += [f"           {text}" for text in verdict.problems[:_SHOWN]]
        more = len(verdict.problems) - _SHOWN
        if more > 0:
            lines.append(f"           and {more} more")
    return lines
