"""Histories: what a run leaves behind for somebody who was not there.

The journals are those that its nodes write. What ZooKeeper, brokers and clients saw is told as
their logs would tell it: znodes written, requests heard, logs made and deleted, answers. Nothing
that only the lab can know is in it, and nothing of what its invariants found: whoever reads a
history must find out alone, as with one of a real cluster.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import msgspec

from klamm.controller.core.model import Assignment, TopicPartition
from klamm.controller.node.effects import Journal, Severity
from klamm.controller.node.forms import Line
from klamm.controller.node.lines import encode, line
from klamm.controller.node.places import Place, locate
from klamm.protocol.generated.leader_and_isr_request import LeaderAndIsrRequest
from klamm.protocol.generated.stop_replica_request import StopReplicaRequest
from klamm.protocol.generated.update_metadata_request import UpdateMetadataRequest
from klamm.protocol.message import Message
from klamm.tools.lab import history_messages as messages
from klamm.tools.lab import run
from klamm.tools.lab.choices import Action, Enumerator, Seeded
from klamm.tools.lab.clients import Asked, list_moves
from klamm.tools.lab.events import Carried, Happened, Way
from klamm.tools.lab.exhibit import Case, Stage
from klamm.tools.lab.history_brokers import Brokers
from klamm.tools.lab.history_end import last_look, paused
from klamm.tools.lab.history_rows import Book, Row
from klamm.tools.lab.history_znodes import Znodes
from klamm.tools.lab.nodes import NodeHost
from klamm.tools.lab.scope import Scope
from klamm.tools.lab.seen import node_of
from klamm.tools.lab.variant import Variant
from klamm.tools.lab.world import World
from klamm.tools.lab.written import assignment

#: The world's clock begins here: see `klamm.tools.lab.nodes`.
_BEGINNING_MS = 1_700_000_000_000
_HEAL = "heal"
_CONTROLS = (LeaderAndIsrRequest, UpdateMetadataRequest, StopReplicaRequest)


@dataclass(frozen=True, slots=True)
class History:
    """What a run has left: the journal of each node by its id, and rows of what the world saw."""

    journals: dict[int, list[bytes]]
    world: list[Row]

    def write(self, folder: Path) -> None:
        """Write `nodes/ID.jsonl` and `world.jsonl` into a folder; raises OSError."""
        (folder / "nodes").mkdir(parents=True, exist_ok=True)
        for node, lines in self.journals.items():
            data = b"".join(each + b"\n" for each in lines)
            (folder / "nodes" / f"{node}.jsonl").write_bytes(data)
        text = "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in self.world)
        (folder / "world.jsonl").write_text(text, encoding="utf-8")


def of_seed(scope: Scope, seed: int, variant: Variant | None = None) -> History:
    """Do the run of a seed, whatever goes wrong in it, and return what it left."""
    world = _Witnessed(scope, variant)
    world.choices = Seeded(seed, scope.rates)

    def live() -> None:
        for _ in range(scope.limits.steps):
            if world.step() is None:
                break
        run.rest(world)
        world.last_look()

    return _witnessed(world, live)


def of_case(case: Case, variant: Variant | None = None) -> History:
    """Perform an exhibit's case, or a variant's script, and return what it left."""
    world = _Witnessed(case.scope, variant)

    def live() -> None:
        case.script(Stage(world))
        if world.healed_at is not None:
            world.last_look()
        elif world.is_still:
            world.pause()

    return _witnessed(world, live)


def _witnessed(world: _Witnessed, live: Callable[[], None]) -> History:
    """Take an error of the code under test for what it is there: the end of a process."""
    try:
        live()
    except Exception as error:
        world.failed(error)
    return History(world.journals, world.book.rows)


class _Witnessed(World):
    """A world whose steps are written down as they happen, and that goes on whatever is wrong."""

    def __init__(self, scope: Scope, variant: Variant | None) -> None:
        self.book = Book()
        self.journals: dict[int, list[bytes]] = {}
        self.healed_at: float | None = None
        self._znodes = Znodes(self.book)
        self._looks = Brokers(self.book)
        self._lives: dict[str, int] = {}
        self._behind: dict[str, int] = {}
        self._known: list[tuple[Asked, str]] = []
        self._numbered = 0
        self._polled: dict[tuple[int, TopicPartition], tuple[Row | None, Assignment | None]] = {}
        super().__init__(scope, Enumerator(), variant)

    def _do(self, action: Action) -> Happened:
        try:
            happened = super()._do(action)
        except Exception:
            self._witness(self.happened)
            raise
        self.violation = None
        self._witness(happened)
        return happened

    def _witness(self, happened: Happened) -> None:
        book = self.book
        book.ts_ms = _BEGINNING_MS + int(self.now * 1000)
        if happened.action == _HEAL:
            self.healed_at = self.now
            book.alone("end", "faults-over")
        self._processes()
        for asked in happened.asked:
            self._numbered += 1
            self._known.append((asked, f"r{self._numbered}"))
            messages.asked(book, asked, f"r{self._numbered}")
        self._write_journals(happened)
        for change in happened.znodes:
            if change.after is None and locate(change.path).place is Place.TOPIC:
                for name in self._znodes.partitions(locate(change.path).topic):
                    self._looks.forget(name)
            self._znodes.take(change)
        for each in happened.messages:
            messages.carried(book, each, self._answer(each), self._znodes.ids)
            if each.way is Way.SENT and isinstance(each.message, UpdateMetadataRequest):
                live = [broker.id for broker in each.message.live_brokers]
                self._znodes.live[messages.id_of(each.source)] = live
        self._looks.look(self.brokers, self._znodes.states)
        self._clients(happened)
        self._poll(happened)

    def _poll(self, happened: Happened) -> None:
        """Take down what a controller lists after a turn, where that or the znode has changed."""
        host = self.nodes.get(happened.actor)
        if host is None or host.node is None or not happened.effects or host.node.doubtful:
            return
        response = host.desk.list_moves()
        if response is None or response.error_code:
            return
        moves, said = messages.moves_of(response), {}
        for name in self._znodes.partitions():
            znode = self._znodes.topics[name.topic]
            now = moves.get(name), assignment(znode, name.partition)
            if self._polled.get((host.id, name)) != now:
                self._polled[host.id, name] = now
                said[name] = moves.get(name)
        if said:
            messages.polled(self.book, host.id, said)

    def _answer(self, each: Carried) -> Message | None:
        """Return what a broker answers to a request that it has just taken in."""
        if each.way is not Way.TAKEN or not isinstance(each.message, _CONTROLS):
            return None
        host = self.nodes.get(each.source)
        link = host.links.get(messages.id_of(each.target)) if host is not None else None
        return link.answer if link is not None else None

    def _clients(self, happened: Happened) -> None:
        numbers = {id(asked): number for asked, number in self._known}
        for asked in happened.replied:
            if id(asked) in numbers:
                number = numbers[id(asked)]
                messages.replied(self.book, asked, number, [*self._znodes.partitions()])
        for asked, number in self._known:
            if asked.lost:
                messages.lost(self.book, asked, number)
        self._known = [each for each in self._known if not each[0].lost]

    def _processes(self) -> None:
        for name, host in self.nodes.items():
            life = host.lives if host.alive else -host.lives
            if self._lives.get(name) == life:
                continue
            self._lives[name] = life
            kind = "process-started" if host.alive else "process-ended"
            self.book.alone("server-log", kind, node=host.id)
            if host.alive:
                self._behind[name] = len(self.journals.get(host.id, ()))
                self._start_journal(host)

    # --- journals --------------------------------------------------------------------------------

    def _start_journal(self, host: NodeHost) -> None:
        """Write what a process writes first: its numbers go on where those before it ended."""
        lines = self.journals.setdefault(host.id, [])
        now = host.now
        started = Journal(Severity.INFO, "started", "", len(lines) + 1)
        lines.append(encode(line(started, host.id, now.wall_ms, now.monotonic)))
        self._behind[host.name] = len(lines)

    def _write_journals(self, happened: Happened) -> None:
        entries = [effect for effect in happened.effects if isinstance(effect, Journal)]
        if not entries:
            return
        host = self.nodes[node_of(self, happened)]
        now, behind = host.now, self._behind[host.name]
        for entry in entries:
            told = line(entry, host.id, now.wall_ms, now.monotonic)
            self.journals[host.id].append(encode(_numbered(told, behind)))

    # --- the end ---------------------------------------------------------------------------------

    def last_look(self) -> None:
        """Ask every node for the moves, and write down how everything lies."""
        for name, host in sorted(self.nodes.items()):
            if host.alive:
                self.ask(name, list_moves())
                self.settle()
        self.book.ts_ms = _BEGINNING_MS + int(self.now * 1000)
        waited = self.now - (self.healed_at or 0.0)
        for partition in self._znodes.partitions():
            self._looks.produced(partition)
        configs = next(iter(self.nodes.values())).config
        every = configs.leader_imbalance_check_seconds if configs.auto_leader_rebalance else None
        last_look(self.book, self, self._znodes, round(waited, 3), every)

    @property
    def is_still(self) -> bool:
        """Tell whether nothing can happen before time passes, but for what comes back."""
        kept, self.recoveries = self.recoveries, False
        try:
            return not self.regular()
        finally:
            self.recoveries = kept

    def pause(self) -> None:
        """Say that the history ends where nothing is on its way, though not all has come back."""
        paused(self.book, self, self._znodes)

    def failed(self, error: Exception) -> None:
        """Write down the error that ended a process, as its own log has it."""
        host = self.happened.actor
        id_ = messages.id_of(host)
        text = f"{type(error).__name__}: {error}"
        whose: Row = {"node": id_} if host.startswith("n") else {"broker": id_}
        self.book.alone("server-log", "failed", text=text, severity="error", **whose)


def _numbered(told: Line, behind: int) -> Line:
    """Count a line on from those of the processes before."""
    cause = told.cause
    if cause is not None and cause.sequence is not None:
        cause = msgspec.structs.replace(cause, sequence=cause.sequence + behind)
    return msgspec.structs.replace(told, seq=told.seq + behind, cause=cause)
