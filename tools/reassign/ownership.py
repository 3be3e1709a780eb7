"""Throttles with an owner: what the tool has set it takes back, and what others have set stays.

Kafka's tool overwrites what is there and deletes it in the end, whoever has set it. With
--own-throttles a file beside the plan remembers, for each key, what was there before and what the
tool has set. Entries of a list are the tool's if they were not there before; a rate goes back to
what it was, unless somebody has changed it since.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from klamm.tools.admin import (
    Admin,
    AlterConfigOp,
    ConfigResource,
    ConfigSource,
    OpType,
    ResourceType,
)
from klamm.tools.reassign.output import CommandError
from klamm.tools.reassign.throttles import EVERY_REPLICA, LONGEST_VALUE, Changes

_SET_BY: Final = frozenset({ConfigSource.DYNAMIC_TOPIC_CONFIG, ConfigSource.DYNAMIC_BROKER_CONFIG})


class Setting(NamedTuple):
    """One key of a topic or broker; those of topics are lists, those of brokers rates."""

    resource: ConfigResource
    key: str

    @property
    def is_list(self) -> bool:
        """Tell whether the value is a list of replicas."""
        return self.resource.type is ResourceType.TOPIC


@dataclass(frozen=True, slots=True)
class Owned:
    """What was there before, None for nothing, and what is the tool's: a rate, or list entries."""

    before: str | None
    ours: str


Record = Mapping[Setting, Owned]
Values = Mapping[Setting, str]


def claim(record: Record, now: Values, wanted: Values) -> tuple[dict[Setting, str], Record]:
    """Return the values to set so that nothing of others is lost, and the record of it.

    `now` has what is set; `record` what was set by the tool before, which is not of others.
    """
    to_set, owned = {}, dict(record)
    for setting, value in wanted.items():
        present, known = now.get(setting), record.get(setting)
        if setting.is_list:
            of_others = _of_others(present, known)
            ours = _without(_entries(value), of_others)
            to_set[setting] = _joined([*of_others, *ours])
            if to_set[setting] == EVERY_REPLICA and EVERY_REPLICA not in of_others:
                ours = [EVERY_REPLICA]
            owned[setting] = Owned(",".join(of_others) or None, ",".join(ours))
        else:
            still_ours = known is not None and present == known.ours
            to_set[setting] = value
            owned[setting] = Owned(known.before if known and still_ours else present, value)
    return to_set, owned


@dataclass(frozen=True, slots=True)
class Release:
    """What to set, None to delete, what is done with, and what somebody else has changed since."""

    values: Mapping[Setting, str | None]
    done: frozenset[Setting]
    kept: Mapping[Setting, str]


def release(record: Record, now: Values, given_up: Iterable[Setting]) -> Release:
    """Return how to take back what is the tool's of these settings.

    Brokers take configs in when they come to it, so `now` may lag behind what the tool has set:
    what looks as it was before is set to that all the same.
    """
    values: dict[Setting, str | None] = {}
    kept = {}
    done = set()
    for setting in given_up:
        owned, present = record.get(setting), now.get(setting)
        if owned is None:
            if present is not None:
                kept[setting] = present
            continue
        done.add(setting)
        if setting.is_list:
            left = ",".join(_of_others(present, owned))
            values[setting] = left or None
            if left:
                kept[setting] = left
        elif present in (owned.ours, owned.before):
            values[setting] = owned.before
        elif present is not None:
            kept[setting] = present
    return Release(values, frozenset(done), kept)


def _entries(value: str | None) -> list[str]:
    return [item for item in (value or "").split(",") if item]


def _without(entries: Iterable[str], others: Iterable[str]) -> list[str]:
    gone = set(others)
    return [entry for entry in dict.fromkeys(entries) if entry not in gone]


def _of_others(present: str | None, known: Owned | None) -> list[str]:
    """Return the entries that are not the tool's; `*` of the tool hides what was there before."""
    if known and known.ours == present == EVERY_REPLICA:
        return _entries(known.before)
    return _without(_entries(present), _entries(known.ours if known else None))


def _joined(entries: Sequence[str]) -> str:
    text = ",".join(entries)
    fits = len(text) <= LONGEST_VALUE and EVERY_REPLICA not in entries
    return text if fits else EVERY_REPLICA


@dataclass
class Owner:
    """Changes throttles in the name of one plan; `file` remembers what is its own.

    Raises CommandError if the file cannot be read or written, and the admin's errors.
    """

    file: Path
    warn: Callable[[str], None]
    _record: dict[Setting, Owned] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        """Read what an earlier run has left."""
        try:
            self._record = parse(self.file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return
        except OSError as error:
            raise CommandError(f"{self.file} cannot be read: {error.strerror}") from error
        except ValueError as error:
            raise CommandError(
                f"{self.file} is no record of throttles ({error}); move it away, or leave"
                " --own-throttles out"
            ) from error

    def alter(self, admin: Admin, changes: Changes) -> None:
        """Set values beside those of others, or take back what is the tool's.

        The record is written before anything is set, and forgotten after it was taken back.
        """
        now = _values(admin, changes)
        wanted = {
            Setting(resource, op.name): op.value
            for resource, ops in changes.items()
            for op in ops
            if op.type is OpType.SET and op.value is not None
        }
        given_up = [
            Setting(resource, op.name)
            for resource, ops in changes.items()
            for op in ops
            if op.type is OpType.DELETE
        ]
        to_set, owned = claim(self._record, now, wanted)
        back = release(self._record, now, given_up)
        self._remember(owned)
        _send(admin, {**to_set, **back.values})
        for setting, value in back.kept.items():
            self.warn(
                f"Leaving {setting.key}={value} of {setting.resource}, which others have set."
            )
        self._remember({key: each for key, each in owned.items() if key not in back.done})

    def _remember(self, record: Record) -> None:
        if record == self._record:
            return
        self._record = dict(record)
        try:
            if record:
                # Whoever is killed while writing leaves the former record, not half of this one.
                fresh = self.file.with_name(f"{self.file.name}.new")
                fresh.write_text(serialize(record), encoding="utf-8")
                fresh.replace(self.file)
            else:
                self.file.unlink(missing_ok=True)
        except OSError as error:
            raise CommandError(f"{self.file} cannot be written: {error.strerror}") from error


def beside(plan: Path) -> Path:
    """Return where the record of a plan is: of plan.json plan.throttles.json.

    Raises CommandError for what has nothing beside it, such as a pipe at /dev/stdin.
    """
    if plan.exists() and not plan.is_file():
        raise CommandError(
            f"--own-throttles keeps a file beside the plan, and {plan} is none: save the plan first"
        )
    plan = plan.resolve()  # /dev/stdin may be a link to a file elsewhere
    return plan.with_name(f"{plan.stem}.throttles.json")


def serialize(record: Record) -> str:
    """Write a record as JSON."""
    rows = [
        [setting.resource.type.name, setting.resource.name, setting.key, owned.before, owned.ours]
        for setting, owned in sorted(record.items(), key=lambda item: item[0])
    ]
    return json.dumps({"version": 1, "throttles": rows}, indent=1) + "\n"


def parse(text: str) -> dict[Setting, Owned]:
    """Read a record; raises ValueError."""
    found = json.loads(text)
    if not isinstance(found, dict) or found.get("version") != 1:
        raise ValueError("there is no version 1")
    rows = found.get("throttles")
    if not isinstance(rows, list):
        raise ValueError("there is no list of throttles")
    return dict(_parsed(row) for row in rows)


def _parsed(row: object) -> tuple[Setting, Owned]:
    match row:
        case ["TOPIC" | "BROKER" as kind, str(name), str(key), None | str() as before, str(ours)]:
            return Setting(ConfigResource(ResourceType[kind], name), key), Owned(before, ours)
    raise ValueError(f"this is no throttle: {json.dumps(row)[:80]}")


def _values(admin: Admin, changes: Changes) -> dict[Setting, str]:
    """Read what is set of these keys on these resources."""
    found = {}
    for resource, entries in admin.describe_configs([*changes]).result().items():
        for op in changes[resource]:
            entry = entries.get(op.name)
            if entry is not None and entry.value is not None and entry.source in _SET_BY:
                found[Setting(resource, op.name)] = entry.value
    return found


def _send(admin: Admin, values: Mapping[Setting, str | None]) -> None:
    changes: dict[ConfigResource, list[AlterConfigOp]] = {}
    for (resource, key), value in values.items():
        kind = OpType.DELETE if value is None else OpType.SET
        changes.setdefault(resource, []).append(AlterConfigOp(key, kind, value))
    if changes:
        admin.incremental_alter_configs(changes).result()
