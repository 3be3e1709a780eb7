"""A whole run of the tool: from words to an exit code.

Source: Kafka 3.9, tools, ReassignPartitionsCommand.java (main, handleAction): what fails prints
on standard output, wrong usage on standard error, and both exit with 1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Final, TextIO

from klamm.controller.runtime.properties import PropertiesError
from klamm.tools.admin import Admin, errors, properties
from klamm.tools.admin.links import Record
from klamm.tools.reassign import (
    listing,
    plan_files,
    replica_progress,
    texts,
    zookeeper_ways,
)
from klamm.tools.reassign.cancel import cancel, write_plan
from klamm.tools.reassign.check import check
from klamm.tools.reassign.command import (
    SUMMARY,
    Command,
    HelpWanted,
    UsageError,
    VersionWanted,
    parse,
    usage,
)
from klamm.tools.reassign.execute import ExecuteOptions
from klamm.tools.reassign.exits import Exit
from klamm.tools.reassign.options import PLAN_FILE, Dialect
from klamm.tools.reassign.output import CommandError, Output, TerseError
from klamm.tools.reassign.ownership import Owner, beside
from klamm.tools.reassign.rollback import Place
from klamm.tools.reassign.show import display
from klamm.tools.reassign.sweep import sweep
from klamm.tools.reassign.throttles import Alter, plainly
from klamm.tools.reassign.verdicts import CancelRule
from klamm.tools.reassign.waiting import SYSTEM_CLOCK
from klamm.tools.reassign.watching import watch
from klamm.tools.reassign.ways import ServerWays, Ways

CLIENT_ID: Final = "reassign-partitions-tool"


def main(words: Sequence[str], out: TextIO, err: TextIO, record: Record | None = None) -> int:
    """Do what a command line asks for; return the exit code.

    `record` is told of every request.
    """
    try:
        command = parse(words)
    except HelpWanted as wanted:
        stream, status = (out, Exit.DONE) if wanted.asked else (err, Exit.FAILED)
        stream.write(f"{SUMMARY}\n{usage(wanted.dialect)}\n")
        return status
    except VersionWanted:
        out.write(f"klamm {version('klamm')}\n")
        return Exit.DONE
    except UsageError as error:
        err.write(f"{error}\n{usage(error.dialect)}\n")
        return error.status
    output = Output(out, err, as_json=command.has("json"))
    output.put(action=command.action.name)
    for word in command.ignored:
        output.warn(f"Passing over {word!r}, which is no option.")
    status = _guarded(command, output, record)
    output.close(status)
    return status


def _guarded(command: Command, output: Output, record: Record | None) -> Exit:
    """Run the action, and print what it fails with."""
    try:
        return _run(command, output, record)
    except TerseError as error:
        output.say(str(error))
        output.put(error=str(error))
        return error.status
    except (CommandError, errors.AdminError, properties.OptionError) as error:
        output.say(f"Error: {error}")
        output.put(error=str(error))
        if isinstance(error, CommandError) and error.hint is not None:
            output.warn(error.hint)
    except KeyboardInterrupt:
        output.warn("Interrupted; what was started goes on.")
        output.put(error="interrupted")
    return Exit.FAILED


def _run(command: Command, output: Output, record: Record | None) -> Exit:
    if command.through_zookeeper:
        return _through_zookeeper(command, output)
    if command.has("zookeeper"):
        output.say(texts.ZOOKEEPER_IGNORED)
    by_controller = command.has("bootstrap-controller")
    option = "bootstrap-controller" if by_controller else "bootstrap-server"
    given = _properties(command)
    with Admin.connect(
        command.text(option),
        properties=given,
        client_id=given.get("client.id", CLIENT_ID),
        bootstrap_controller=by_controller,
        record=record,
    ) as admin:
        if (action := BOTH_WAYS.get(command.action.name)) is not None:
            action(ServerWays(admin, output), command, output)
            return Exit.DONE
        return ACTIONS[command.action.name](admin, command, output)


def _through_zookeeper(command: Command, output: Output) -> Exit:
    if command.dialect.is_kip_179:
        output.warn(f"{texts.ZOOKEEPER_DEPRECATED} Use --bootstrap-server instead.")
    else:
        output.say(texts.ZOOKEEPER_DEPRECATED)
    with zookeeper_ways.opened(command.text("zookeeper"), output) as ways:
        BOTH_WAYS[command.action.name](ways, command, output)
    return Exit.DONE


def _properties(command: Command) -> Mapping[str, str]:
    """Return the client properties; raises CommandError."""
    if not command.has("command-config"):
        return {}
    file = command.text("command-config")
    try:
        return properties.read(file)
    except (OSError, PropertiesError) as error:
        raise CommandError(f"Unable to read file {file}: {error}") from error


def _read(command: Command, option: str) -> str:
    """Return the text of the file that an option names; raises CommandError."""
    file = command.text(option)
    try:
        return Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"Unable to read file {file}: {error}") from error


def _list(admin: Admin, command: Command, output: Output) -> Exit:
    listing.list_moves(admin, output)
    return Exit.DONE


def _progress(admin: Admin, command: Command, output: Output) -> Exit:
    if command.dialect is Dialect.KIP_179_ALTER:
        replica_progress.show_plan(admin, _read(command, PLAN_FILE), output)
        return Exit.DONE
    if command.dialect is Dialect.KIP_179_ASSIGN:
        request_id = command.number("request") if command.has("request") else None
        replica_progress.show_request(admin, request_id, output)
        return Exit.DONE
    plan = None
    if command.has(PLAN_FILE):
        plan = plan_files.parse_plan(_read(command, PLAN_FILE)).targets
    view = display(output.stream, as_json=output.as_json)
    return watch(admin, plan, view, output, command.watching(SYSTEM_CLOCK))


def _generate(ways: Ways, command: Command, output: Output) -> None:
    ways.generate(
        _read(command, "topics-to-move-json-file"),
        command.text("broker-list"),
        rack_aware=not command.has("disable-rack-aware"),
    )


def _execute(ways: Ways, command: Command, output: Output) -> None:
    options = ExecuteOptions(
        command.has("additional"),
        command.number("throttle"),
        command.number("replica-alter-log-dirs-throttle"),
        command.number("timeout"),
        not command.has("disallow-replication-factor-change"),
        command.pacing,
        _rollback(command),
        command.has("plan-check"),
        _alter(command, output),
        command.dialect,
    )
    ways.execute(_read(command, PLAN_FILE), options)


def _verify(ways: Ways, command: Command, output: Output) -> None:
    ways.verify(
        _read(command, PLAN_FILE),
        preserve_throttles=command.has("preserve-throttles"),
        dialect=command.dialect,
        alter=_alter(command, output),
    )


def _cancel(admin: Admin, command: Command, output: Output) -> Exit:
    if command.has("write-plan"):
        write_plan(admin, Path(command.text("write-plan")), output)
        return Exit.DONE
    return cancel(
        admin,
        _read(command, PLAN_FILE),
        output,
        preserve_throttles=command.has("preserve-throttles"),
        timeout_ms=command.number("timeout"),
        by_controller=command.has("bootstrap-controller"),
        rule=CancelRule(command.text("cancel-rule")) if command.has("cancel-rule") else None,
        restore_order=command.has("restore-order"),
        alter=_alter(command, output),
    )


def _alter(command: Command, output: Output) -> Alter:
    """Return how throttles are changed; raises CommandError if the plan's record is no record."""
    if not command.has("own-throttles"):
        return plainly
    return Owner(beside(Path(command.text(PLAN_FILE))), output.warn).alter


def _rollback(command: Command) -> Place | None:
    """Return where the way back goes; raises CommandError for options that contradict."""
    if command.has("rollback-file"):
        if command.has("no-rollback-file"):
            raise CommandError("--rollback-file and --no-rollback-file exclude each other")
        return Place(Path(command.text(PLAN_FILE)), Path(command.text("rollback-file")))
    if command.has("no-rollback-file"):
        return None
    return Place(Path(command.text(PLAN_FILE)))


def _check(admin: Admin, command: Command, output: Output) -> Exit:
    return check(admin, _read(command, PLAN_FILE), output)


def _sweep(admin: Admin, command: Command, output: Output) -> Exit:
    return sweep(admin, output, remove=command.has("yes"))


#: What a ZooKeeper can do as well, given the way, the command line and where words go.
BOTH_WAYS: Final[Mapping[str, Callable[[Ways, Command, Output], None]]] = {
    "generate": _generate,
    "execute": _execute,
    "verify": _verify,
}

#: What takes a server, given its client.
ACTIONS: Final[Mapping[str, Callable[[Admin, Command, Output], Exit]]] = {
    "cancel": _cancel,
    "list": _list,
    "progress": _progress,
    "check": _check,
    "sweep": _sweep,
}
