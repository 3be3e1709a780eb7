"""`klamm topics`: kafka-topics of Kafka 3.9, option for option; --alter also as KIP-179 has it.

Source of options, refusals and their order: Kafka 3.9, tools, TopicCommand.java
(TopicCommandOptions), and server-common, CommandLineUtils.java.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import click

from klamm.tools.admin import Admin, OptionError, errors, properties
from klamm.tools.cli import _topic_actions as actions
from klamm.tools.cli._alter_topics import alter_topics
from klamm.tools.cli._topic_actions import Choice, Reports, TopicsError, Wishes

ACTIONS = ("list", "describe", "create", "alter", "delete")
CLIENT_ID = "klamm-topics"
STOCK_DIALECT = "3.9"
#: The dialect in which --alter changes all that a topic has (KIP-179).
ALTER_DIALECT = "kip-179-alter"

_USE_CONFIGS = " (To alter topic configurations, the kafka-configs tool can be used.)"

#: With which actions an option goes, in the order of complaint; the others go with all.
_GOES_WITH: Mapping[str, tuple[str, ...]] = {
    "config": ("alter", "create"),
    "partitions": ("alter", "create"),
    "replication-factor": ("create",),
    "replica-assignment": ("alter", "create"),
    "under-replicated-partitions": ("describe",),
    "under-min-isr-partitions": ("describe",),
    "at-min-isr-partitions": ("describe",),
    "unavailable-partitions": ("describe",),
    "topics-with-overrides": ("describe",),
    "if-exists": ("alter", "delete", "describe"),
    "if-not-exists": ("create",),
    "exclude-internal": ("list", "describe"),
}
#: What --alter changes in its own dialect; one of these at least.
_ALTERABLE = ("partitions", "replication-factor", "replica-assignment")
_REPORT_OPTIONS = tuple(name for name in _GOES_WITH if name.endswith("-partitions"))


class _Refusal(click.UsageError):
    """A command line that the stock tool refuses; it exits as that does."""

    exit_code = 1


class KafkaCommand(click.Command):
    """A command whose every usage error exits with 1, as Kafka's tools do."""

    def make_context(self, *args: Any, **extra: Any) -> click.Context:  # noqa: ANN401
        """Read the command line; raises UsageError."""
        try:
            return super().make_context(*args, **extra)
        except click.UsageError as error:
            raise _Refusal(error.format_message(), error.ctx) from error


def _flag(name: str, help_: str) -> Callable[[Any], Any]:
    return click.option(f"--{name}", is_flag=True, help=help_)


@click.command(cls=KafkaCommand)
@click.option("--bootstrap-server", metavar="HOST:PORT,...", help="Any nodes of the cluster.")
@click.option("--command-config", metavar="FILE", help="Properties of Kafka clients: TLS, SASL.")
@_flag("list", "List all topics.")
@_flag("describe", "Show partitions, replicas and moves of topics.")
@_flag("create", "Create a topic.")
@_flag("alter", "Give a topic more partitions; in dialect kip-179-alter other replicas, too.")
@_flag("delete", "Delete a topic.")
@click.option("--topic", help="The topic to create; elsewhere a pattern, or several with commas.")
@click.option("--topic-id", help="The id of the topic to describe.")
@click.option("--config", multiple=True, metavar="NAME=VALUE", help="A config of a new topic.")
@click.option("--partitions", type=int, help="How many partitions it is to have.")
@click.option("--replication-factor", type=int, help="How many replicas each is to have.")
@click.option("--replica-assignment", metavar="1:2,2:3,...", help="Brokers of each partition.")
@_flag("under-replicated-partitions", "Describe only what has fewer replicas in sync than it has.")
@_flag("unavailable-partitions", "Describe only what has no leader that lives.")
@_flag("under-min-isr-partitions", "Describe only what has too few in sync to be written.")
@_flag("at-min-isr-partitions", "Describe only what has just enough in sync to be written.")
@_flag("topics-with-overrides", "Describe only topics that have configs of their own.")
@click.option(
    "--dialect",
    type=click.Choice([STOCK_DIALECT, ALTER_DIALECT]),
    default=STOCK_DIALECT,
    show_default=True,
    help="How --alter works: as in Kafka 3.9, or by AlterTopics of KIP-179, which klamm's servers"
    " offer with klamm.kip179.alter.enable.",
)
@_flag("if-exists", "Do nothing if there is no such topic.")
@_flag("if-not-exists", "Do nothing if there is such a topic.")
@_flag("exclude-internal", "Leave Kafka's own topics out.")
@click.option(
    "--partition-size-limit-per-response",
    type=int,
    hidden=True,
    help="Taken and not needed: topics are described all at once.",
)
@click.pass_context
def command(ctx: click.Context, /, **options: Any) -> None:  # noqa: ANN401 - checked below
    """List, describe, create, alter and delete topics, as kafka-topics does."""
    action = _action(options)
    _check(action, options)
    try:
        with _client(options) as admin:
            _run(action, options, admin)
    except (TopicsError, OptionError, errors.AdminError) as error:
        click.echo(f"Error while executing topic command : {error}")
        ctx.exit(1)


def _action(options: Mapping[str, Any]) -> str:
    chosen = [action for action in ACTIONS if options[action]]
    if len(chosen) != 1:
        raise _Refusal(
            "Command must include exactly one action: --list, --describe, --create, --alter or"
            " --delete"
        )
    return chosen[0]


def _check(action: str, options: Mapping[str, Any]) -> None:
    """Refuse what does not go together, in the stock tool's order; raises UsageError."""

    def given(name: str) -> bool:
        value = options[name.replace("-", "_")]
        return value is not None and value is not False and value != ()

    alterable = _ALTERABLE if options["dialect"] == ALTER_DIALECT else ("partitions",)
    if not given("bootstrap-server"):
        raise _Refusal("--bootstrap-server must be specified")
    if action == "describe" and given("if-exists") and not (given("topic") or given("topic-id")):
        raise _Refusal("--topic or --topic-id is required to describe a topic")
    if action not in ("list", "describe") and not given("topic"):
        raise _Refusal('Missing required argument "[topic]"')
    if action == "alter":
        if given("config"):
            raise _Refusal(
                'Option combination "[bootstrap-server],[config]" can\'t be used with option'
                f' "[alter]"{_USE_CONFIGS}'
            )
        if not any(given(name) for name in alterable):
            named = ",".join(f"[{name}]" for name in alterable)
            raise _Refusal(f'Missing required argument "{named}"')
        if options["dialect"] == ALTER_DIALECT:
            _check_numbers(options)
    for name, known_by in _GOES_WITH.items():
        if not given(name):
            continue
        if action not in known_by and not (action == "alter" and name in alterable):
            raise _cannot(name, action)
        if name in _REPORT_OPTIONS and given("topics-with-overrides"):
            raise _cannot(name, "topics-with-overrides")
    if action == "create" and given("replica-assignment"):
        for other in ("partitions", "replication-factor"):
            if given(other):
                raise _cannot("replica-assignment", other)


def _check_numbers(options: Mapping[str, Any]) -> None:
    """Refuse numbers that a topic cannot have; -1 leaves one as it is. Raises UsageError."""
    for name in ("partitions", "replication-factor"):
        number = options[name.replace("-", "_")]
        if number is not None and number < 1 and number != -1:
            raise _Refusal(
                f"--{name} {number} is not allowed; give 1 or more, or leave it out to keep what"
                " the topic has"
            )


def _cannot(name: str, other: str) -> _Refusal:
    return _Refusal(f'Option "[{name}]" can\'t be used with option "[{other}]"')


def _client(options: Mapping[str, Any]) -> Admin:
    file = options["command_config"]
    try:
        found = {} if file is None else properties.read(file)
    except OSError as error:
        raise TopicsError(f"{file} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise TopicsError(f"{file} is no properties file: {error}") from error
    return Admin.connect(options["bootstrap_server"], found, CLIENT_ID)


def _run(action: str, options: Mapping[str, Any], admin: Admin) -> None:
    name = options["topic"]
    choice = Choice(name, options["topic_id"], options["exclude_internal"], options["if_exists"])
    wishes = Wishes(
        options["partitions"],
        options["replication_factor"],
        _assignments(options["replica_assignment"]),
        _configs(options["config"]),
    )
    match action:
        case "list":
            actions.list_topics(admin, choice, click.echo)
        case "create":
            may_exist = options["if_not_exists"]
            actions.create(admin, name, wishes, may_exist=may_exist, say=click.echo)
        case "alter" if options["dialect"] == ALTER_DIALECT:
            alter_topics(admin, choice, wishes, _watch(options), click.echo)
        case "alter":
            actions.alter(admin, choice, wishes)
        case "delete":
            actions.delete(admin, choice)
        case "describe":
            reports = Reports(
                under_replicated=options["under_replicated_partitions"],
                unavailable=options["unavailable_partitions"],
                under_min_isr=options["under_min_isr_partitions"],
                at_min_isr=options["at_min_isr_partitions"],
                overrides_only=options["topics_with_overrides"],
            )
            actions.describe(admin, choice, reports, click.echo)


def _watch(options: Mapping[str, Any]) -> str:
    """Return the command that shows the partitions of the topics that are altered."""
    words = ["klamm", "topics", "--bootstrap-server", options["bootstrap_server"]]
    if options["command_config"] is not None:
        words += ["--command-config", options["command_config"]]
    return shlex.join([*words, "--describe", "--topic", options["topic"]])


def _configs(texts: Sequence[str]) -> dict[str, str]:
    """Read NAME=VALUE; raises TopicsError."""
    found = {}
    for text in texts:
        parts = re.split(r"\s*=\s*", text)
        if len(parts) != 2 or not all(parts):
            raise TopicsError(
                "requirement failed: Invalid topic config: all configs to be added must be in the"
                ' format "key=val".'
            )
        found[parts[0].strip()] = parts[1].strip()
    return found


def _assignments(text: str | None) -> list[list[int]]:
    """Read 1:2,2:3, the brokers of each partition; raises TopicsError."""
    found: list[list[int]] = []
    for number, part in enumerate(text.split(",") if text else ()):
        try:
            brokers = [int(broker) for broker in part.split(":")]
        except ValueError:
            raise TopicsError(
                f"--replica-assignment: {part!r} is no list of brokers; write 1:2 for each"
                " partition, with commas between"
            ) from None
        doubled = [broker for broker in dict.fromkeys(brokers) if brokers.count(broker) > 1]
        if doubled:
            raise TopicsError(
                "Partition replica lists may not contain duplicate entries:"
                f" {','.join(map(str, doubled))}"
            )
        found.append(brokers)
        if len(brokers) != len(found[0]):
            raise TopicsError(f"Partition {number} has different replication factor: {brokers}")
    return found
