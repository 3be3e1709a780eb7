"""`klamm explain`: why moves have not ended, and what to do."""

import json
import re
import time

import click

from klamm.controller.runtime.properties import PropertiesError
from klamm.tools.admin import Admin, OptionError, TopicPartition, errors, properties
from klamm.tools.explain.commands import Commands
from klamm.tools.explain.diagnose import diagnose
from klamm.tools.explain.gather import Gatherer, NoSuchPartitionError
from klamm.tools.explain.report import as_json, lines
from klamm.tools.reassign.exits import Exit

CLIENT_ID = "klamm-explain"

_NAME = re.compile(r"([a-zA-Z0-9._-]{1,249})[:-]([0-9]{1,10})")


def _read_partition(
    ctx: click.Context, param: click.Parameter, value: str | None
) -> TopicPartition | None:
    if value is None:
        return None
    match = _NAME.fullmatch(value)
    if match is None or int(match[2]) >= 2**31:
        raise click.BadParameter(
            f"{value!r} names no partition; write TOPIC:PARTITION, such as orders:0", ctx, param
        )
    return TopicPartition(match[1], int(match[2]))


@click.command()
@click.argument("partition", metavar="[TOPIC:PARTITION]", required=False, callback=_read_partition)
@click.option(
    "--bootstrap-server",
    required=True,
    metavar="HOST:PORT,...",
    help="Any nodes of the cluster, Kafka's or klamm's.",
)
@click.option("--command-config", metavar="FILE", help="Properties of Kafka clients: TLS, SASL.")
@click.option(
    "--watch",
    type=click.FloatRange(min=0, max=86400),
    default=2.0,
    show_default=True,
    metavar="SECONDS",
    help="Look twice, so far apart, to see rates; 0: look once.",
)
@click.option("--json", "json_wanted", is_flag=True, help="Print one JSON object.")
@click.pass_context
def command(
    ctx: click.Context,
    partition: TopicPartition | None,
    bootstrap_server: str,
    command_config: str | None,
    watch: float,
    json_wanted: bool,
) -> None:
    """Tell why moves have not ended, and what to do.

    Of one partition, or of all that move, between directories too, or have left replicas behind,
    the worst first. Of a partition that is named it also tells why replicas are out of sync though
    nothing moves. Asks only; works with every cluster from Kafka 2.4 on.

    Exits with 0 if all moves go on or nothing moves, 4 if one is stuck, 1 if the cluster could not
    be asked, 2 for a wrong command line.
    """
    try:
        found = {} if command_config is None else properties.read(command_config)
        with Admin.connect(bootstrap_server, found, CLIENT_ID) as admin:
            facts = Gatherer(admin, partition, watch, time.sleep, time.monotonic).facts()
    except (PropertiesError, OptionError, errors.AdminError, NoSuchPartitionError) as error:
        raise click.ClickException(str(error)) from error
    except OSError as error:
        raise click.ClickException(f"Unable to read {command_config}: {error}") from error
    findings = diagnose(facts, Commands(bootstrap_server, command_config))
    status = Exit.STUCK if findings.stuck else Exit.DONE
    if json_wanted:
        click.echo(json.dumps({**as_json(facts, findings), "exit": status}))
    else:
        for line in lines(facts, findings):
            click.echo(line)
    ctx.exit(status)
