"""A command line of kafka-reassign-partitions: read as joptsimple reads it, judged in its order.

`--name value` and `--name=value`, with one hyphen or two; names are never shortened, and an option
that takes something takes whatever comes next, a word with hyphens too.
Source: joptsimple 5.0.4 (OptionParser, ParserRules, RequiredArgumentOptionSpec); Kafka 3.9, tools,
ReassignPartitionsCommand.java (validateAndParseArgs), and server-common, CommandLineUtils.java.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from klamm.tools.reassign.exits import Exit
from klamm.tools.reassign.guide import KIP_179, PORTIONS
from klamm.tools.reassign.kip_179_options import HELP, NEVER_WITH_ZOOKEEPER, with_hint
from klamm.tools.reassign.options import (
    COMMON,
    ONLY_WITH_SERVER,
    OPTIONS,
    Action,
    Dialect,
    Kind,
    Option,
    actions,
    stock_actions,
)
from klamm.tools.reassign.pacing import Order, Pacing
from klamm.tools.reassign.waiting import Clock, Patience

SUMMARY: Final = "This tool helps to move topic partitions between replicas."

NOTES: Final = (
    (
        "Throttles slow all replication of the replicas that they list. A limit for the traffic"
        " of reassignments alone (future work of KIP-455) is not offered."
    ),
    "The way through ZooKeeper is deprecated, and will be removed in a later version.",
)

_NUMBER: Final = re.compile(r"[+-]?[0-9]+")
_BITS: Final = {Kind.INT: 32, Kind.LONG: 64}
_WITH_WRITE_PLAN: Final = COMMON | {"cancel", "bootstrap-controller", "write-plan"}
_OPTION_WIDTH: Final = 40
_WIDTH: Final = 100

Value = str | int | bool


class UsageError(Exception):
    """A command line that asks for nothing that can be done; `status` is the exit code.

    `dialect` is the one whose help may help, where the words had come so far.
    """

    def __init__(
        self,
        message: str,
        status: Exit = Exit.FAILED,
        dialect: Dialect = Dialect.KAFKA_3_9,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.dialect = dialect


class HelpWanted(Exception):
    """Somebody asks how the tool is used; `asked` is false for an empty command line."""

    def __init__(self, dialect: Dialect, *, asked: bool) -> None:
        super().__init__(SUMMARY)
        self.dialect = dialect
        self.asked = asked


class VersionWanted(Exception):
    """Somebody asks for the version."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command line that makes sense. `values` holds the options that were given."""

    action: Action
    dialect: Dialect
    values: Mapping[str, Value]
    ignored: tuple[str, ...] = ()

    def has(self, name: str) -> bool:
        """Tell whether an option was given."""
        assert name in OPTIONS, name
        return name in self.values

    def text(self, name: str) -> str:
        """Return what was given with an option; it was, or it has a default."""
        return str(self._value(name))

    def number(self, name: str) -> int:
        """Return the number given with an option, or its default."""
        value = self._value(name)
        assert isinstance(value, int), f"--{name} takes {OPTIONS[name].kind.value}"
        return value

    def _value(self, name: str) -> Value:
        value = self.values.get(name, OPTIONS[name].default)
        assert value is not None, f"nobody has made sure that there is --{name}"
        return value

    @property
    def through_zookeeper(self) -> bool:
        """Tell whether it is ZooKeeper's nodes that it works through."""
        return not self.has("bootstrap-server") and self.has("zookeeper")

    @property
    def pacing(self) -> Pacing:
        """How the plan is submitted; raises ValueError for what cannot be."""
        return Pacing(
            self.number("reassignment-batch-size"),
            self.has("incremental"),
            self.number("reassignment-poll-interval-ms"),
            Order(self.text("order")),
            wait=self.has("wait"),
            deadline_ms=self._deadline_ms if self.action.name == "execute" else None,
            pause_when_unhealthy=self.has("pause-when-unhealthy"),
            resume=self.has("resume"),
        )

    def watching(self, clock: Clock) -> Patience:
        """How long --progress looks, and how often; raises ValueError for what cannot be."""
        return Patience(clock, self.number("interval-ms"), self._deadline_ms)

    @property
    def _deadline_ms(self) -> int | None:
        return self.number("deadline-ms") if self.has("deadline-ms") else None


def parse(words: Sequence[str]) -> Command:
    """Read a command line; raises UsageError, HelpWanted and VersionWanted."""
    if not words:
        raise HelpWanted(Dialect.KAFKA_3_9, asked=False)
    given, ignored = _detect(words)
    dialect = _dialect(given)
    for name in given:
        if dialect not in OPTIONS[name].dialects:
            said = f"{name} is not a recognized option"
            raise UsageError(with_hint(said, dialect, name), dialect=dialect)
    if "help" in given:
        raise HelpWanted(dialect, asked=True)
    if "version" in given:
        raise VersionWanted
    found = [action for name, action in actions(dialect).items() if name in given]
    own = any(action.ours for action in found)
    try:
        return _judged(found, dialect, given, ignored)
    except UsageError as error:
        raise UsageError(str(error), Exit.USAGE if own else Exit.FAILED, dialect) from error


def _judged(
    found: Sequence[Action],
    dialect: Dialect,
    given: Mapping[str, Sequence[str]],
    ignored: Sequence[str],
) -> Command:
    """Refuse what does not belong together, in the order in which the stock tool does."""
    if len(found) != 1:
        known = ", ".join(f"--{action.name}" for action in stock_actions(dialect))
        raise UsageError(f"Command must include exactly one action: {known}")
    [action] = found
    _check_connection(dialect, given)
    writes_only = "write-plan" in given
    for name in () if writes_only else action.required:
        if name not in given:
            raise UsageError(f'Missing required argument "[{name}]"')
    permitted = {action.name, *action.required, *action.permitted, *COMMON}
    for name in given:
        if name not in permitted:
            said = f'Option "[{name}]" can\'t be used with action "[{action.name}]"'
            raise UsageError(with_hint(said, dialect, f"{action.name} {name}"))
    if writes_only:
        # Nothing is cancelled, and whoever gives another option may think that something is.
        for name in given.keys() - _WITH_WRITE_PLAN:
            raise UsageError(f'Option "[write-plan]" can\'t be used with option "[{name}]"')
    values = {name: _value(OPTIONS[name], texts) for name, texts in given.items()}
    command = Command(action, dialect, values, tuple(ignored))
    try:
        command.pacing  # noqa: B018 - it checks what it is made of
        for name in ("deadline-ms", "interval-ms", "request"):
            if command.has(name) and command.number(name) <= 0:
                raise ValueError(f"--{name} must be greater than 0")
    except ValueError as error:
        raise UsageError(str(error)) from error
    return command


def _check_connection(dialect: Dialect, given: Mapping[str, Sequence[str]]) -> None:
    server, controller = "bootstrap-server" in given, "bootstrap-controller" in given
    zookeeper = "zookeeper" in given
    if server and controller:
        raise UsageError("Please don't specify both --bootstrap-server and --bootstrap-controller")
    if server and zookeeper and dialect.is_kip_179:
        raise UsageError('Option "[bootstrap-server]" can\'t be used with option "[zookeeper]"')
    if zookeeper and dialect.is_kip_179:
        for name in NEVER_WITH_ZOOKEEPER:
            if name in given:
                raise UsageError(f'Option "[{name}]" can\'t be used with option "[zookeeper]"')
    if not (server or controller or zookeeper):
        raise UsageError("Please specify --bootstrap-server")
    if server or controller:
        return
    for name in ONLY_WITH_SERVER:
        if name in given:
            raise UsageError(f'You must specify --bootstrap-server when using "[{name}]"')


def _detect(words: Sequence[str]) -> tuple[dict[str, list[str]], list[str]]:
    """Return what follows each option, in the order of first use, and the words beside them."""
    given: dict[str, list[str]] = {}
    beside: list[str] = []
    rest = iter(words)
    for word in rest:
        if word == "--":
            beside += rest
        elif not word.startswith("-") or word == "-":
            beside.append(word)
        else:
            name, has_value, value = word.removeprefix("-").removeprefix("-").partition("=")
            option = OPTIONS.get(name)
            if option is None:
                raise UsageError(f"{name} is not a recognized option")
            of_option = given.setdefault(name, [])
            if option.kind is Kind.FLAG:
                if has_value:
                    raise UsageError(f"Option {name} takes no argument, and was given {value!r}")
            elif has_value:
                of_option.append(value)
            else:
                following = next(rest, None)
                if following is None:
                    raise UsageError(f"Option {name} requires an argument")
                of_option.append(following)
    return given, beside


def _dialect(given: Mapping[str, Sequence[str]]) -> Dialect:
    if "dialect" not in given:
        return Dialect.KAFKA_3_9
    return Dialect(_value(OPTIONS["dialect"], given["dialect"]))


def _value(option: Option, given: Sequence[str]) -> Value:
    if option.kind is Kind.FLAG:
        return True
    if len(given) > 1:
        raise UsageError(
            f"Found multiple arguments for option {option.name}, but you asked for only one"
        )
    [text] = given
    if option.choices and text not in option.choices:
        raise UsageError(f"--{option.name} is {text!r}, and must be {', '.join(option.choices)}")
    if option.kind is Kind.TEXT:
        return text
    most = 2 ** (_BITS[option.kind] - 1)
    if not _NUMBER.fullmatch(text) or not -most <= int(text) < most:
        raise UsageError(f"Cannot parse argument '{text}' of option {option.name}")
    return int(text)


def usage(dialect: Dialect) -> str:
    """Return the help: each option of the dialect, by name, and what else there is to know."""
    lines = [f"{'Option':<{_OPTION_WIDTH}}Description", f"{'------':<{_OPTION_WIDTH}}-----------"]
    for name, option in sorted(OPTIONS.items()):
        if dialect in option.dialects:
            text = HELP.get(dialect, {}).get(name, option.help)
            lines += _described(option, text)
    for note in NOTES:
        lines += ["", *textwrap.wrap(note, _WIDTH)]
    lines += ["", *PORTIONS.splitlines()]
    if dialect.is_kip_179:
        lines += ["", *KIP_179.splitlines()]
    return "\n".join(lines)


def _described(option: Option, text: str) -> list[str]:
    name = option.name
    head = f"--{name} <{option.argument}>" if option.argument else f"--{name}"
    if option.choices:
        text += f" One of {', '.join(option.choices)}."
    if option.default is not None and option.default != -1:
        text += f" (default: {option.default})"
    described = textwrap.wrap(text, _WIDTH - _OPTION_WIDTH, break_on_hyphens=False)
    if len(head) < _OPTION_WIDTH:
        head = f"{head:<{_OPTION_WIDTH}}{described.pop(0)}"
    return [head, *(" " * _OPTION_WIDTH + line for line in described)]
