"""The journals of a cluster's controllers: waves of moves, brokers that go, offices that change.

What is told is right: a model of each partition says what may happen next, and every line is of the
form of schemas/journal.json. Faults are planted on top (see `faults`), into partitions that nothing
else moves. Lines are written as they are made; what is kept is one object per partition.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from random import Random

from klamm.tools.pipeline.samples.files import JournalFiles
from klamm.tools.pipeline.samples.replicas import Replicated, another
from klamm.tools.pipeline.samples.telling import TOOL, Teller, brokers, seen, sent
from klamm.tools.planner.snapshot import Snapshot

NODES = (900, 901, 902)
#: What a broker can fetch.
_BYTES_PER_MS = 50 * 1024 * 1024 / 1000
_CONTENT_PARTITIONS = 1_000


class History(Teller):
    """A cluster whose controllers keep journals; `now_ms` is the time of what comes next."""

    def __init__(self, snapshot: Snapshot, seed: int, files: JournalFiles) -> None:
        self.rng = Random(f"{seed}/history")  # noqa: S311 - chance that can be had again
        super().__init__(files, snapshot.taken_ms, NODES[0])
        self.racks = {each.id: each.rack for each in snapshot.brokers}
        self.alive = {each.id for each in snapshot.brokers if each.alive}
        self.partitions = [
            Replicated(
                each.topic,
                each.partition,
                list(each.replicas),
                list(each.isr),
                each.leader,
                each.size_bytes,
            )
            for each in snapshot.partitions
        ]
        self.topics: dict[str, list[Replicated]] = defaultdict(list)
        for partition in self.partitions:
            self.topics[partition.topic].append(partition)
        self.versions = dict.fromkeys(self.topics, 0)
        self.offices: list[int] = []
        #: How moves came out that nothing was planted into, and how large waves of a client were.
        self.results: Counter[str] = Counter()
        self.waves: list[dict[str, object]] = []

    def bump(self, topic: str) -> int:
        """Return the next version of a topic's znode."""
        self.versions[topic] += 1
        return self.versions[topic]

    def take_office(self, node: int) -> None:
        """Elect a node, which tells what it found."""
        if self.epoch:
            self.tell("resigned", ',"text":"the session with ZooKeeper is over"', "warning")
            self.now_ms += self.rng.randrange(50, 6_000)
        if node not in self.sequences:
            self.tell_of(node, self.epoch, "started")
        self.node, self.epoch = node, self.epoch + 1
        self.offices.append(node)
        moving = sum(bool(each.adding or each.removing) for each in self.partitions)
        self.tell("elected", f',"text":"controller epoch {self.epoch}"')
        brokers = ",".join(
            f'{{"id":{id_},"epoch":{100 + id_}'
            + (f',"rack":"{rack}"' if (rack := self.racks[id_]) else "")
            + "}"
            for id_ in sorted(self.alive)
        )
        size = f"{len(self.topics)} topics with {len(self.partitions)} partitions"
        self.tell("snapshot", f',"text":"{size}, {len(self.alive)} brokers","brokers":[{brokers}]')
        for topic, partitions in self.topics.items():
            for at in range(0, len(partitions), _CONTENT_PARTITIONS):
                held = ",".join(
                    f'"{each.number}":{each.text}'
                    for each in partitions[at : at + _CONTENT_PARTITIONS]
                )
                follows = "" if at == 0 else ',"first":false'
                self.tell(
                    "snapshot-topic",
                    f',"topic":"{topic}","content":{{"version":{self.versions[topic]},'
                    f'"partitions":{{{held}}}{follows}}}',
                )
        took = self.rng.randrange(5, 400)
        self.now_ms += took
        self.tell("told", ',"messages":[{"kind":"live-brokers"},{"kind":"everything"}]')
        self.tell(
            "in office",
            f',"text":"found {size} and {len(self.alive)} brokers: {moving} partitions moving;'
            f' in office {took / 1000} s after the election"',
        )
        self.tell("resumed", f',"text":"at rest {took / 1000} s after the election"')

    def accept(
        self, partition: Replicated, target: list[int], version: int, client: str = TOOL
    ) -> int:
        """Grant a move, or another target for one that is under way."""
        kind = "supersede" if partition.adding or partition.removing else "accept"
        before = partition.text
        partition.start(target, self.epoch)
        return self.change(
            kind,
            partition,
            before,
            f',"event":{{"kind":"AlterReassignment","fields":{{"partition":["{partition.topic}",'
            f'{partition.number}],"target":{brokers(target)},"keeps_factor":false}}}},'
            f"{self.asked(client)}{self.written(partition, version)}"
            f"{sent(partition.replicas, partition.adding)}"
            ',"reply":{"code":0,"error":"NONE"}',
        )

    def join(self, partition: Replicated, broker: int) -> int:
        """A replica comes in sync."""
        before = partition.text
        partition.join(broker)
        return self.change("isr-join", partition, before, seen(partition))

    def fall(self, partition: Replicated, broker: int) -> int:
        """A replica falls out of sync."""
        before = partition.text
        partition.fall(broker)
        return self.change("isr-shrink", partition, before, seen(partition))

    def end(self, partition: Replicated, cause: int) -> None:
        """A move ends, and those who are not of it delete their replicas."""
        before, gone = partition.text, partition.removing
        partition.end(self.epoch)
        self.change(
            "end",
            partition,
            before,
            f',"event":{{"kind":"CheckPartition","fields":{{"partition":["{partition.topic}",'
            f'{partition.number}],"restarted":[],"reassigned":false}}}},'
            f'"cause":{{"kind":"entry","sequence":{cause}}}'
            f"{self.written(partition, self.bump(partition.topic))}"
            f"{sent(partition.replicas, (), gone)}",
        )
        self.delete(partition, gone)

    def cancel(self, partition: Replicated, client: str = TOOL) -> None:
        """A move is called off."""
        before, gone = partition.text, partition.adding
        partition.cancel(self.epoch)
        self.change(
            "cancel",
            partition,
            before,
            f',"event":{{"kind":"AlterReassignment","fields":{{"partition":["{partition.topic}",'
            f'{partition.number}],"target":null,"keeps_factor":false}}}},'
            f"{self.asked(client)}{self.written(partition, self.bump(partition.topic))}"
            f'{sent(partition.replicas, (), gone)},"reply":{{"code":0,"error":"NONE"}}',
        )
        self.delete(partition, gone)

    def delete(self, partition: Replicated, gone: Iterable[int]) -> None:
        """Tell brokers to delete replicas, now that they are of no use."""
        stops = ",".join(
            f'{{"kind":"stop-replica","brokers":[{id_}],"delete":true}}' for id_ in sorted(gone)
        )
        if stops:
            self.tell(
                "told",
                f',"topic":"{partition.topic}","partition":{partition.number},"messages":[{stops}]',
            )

    def wave(self, moved: Sequence[Replicated], client: str = TOOL) -> list[Replicated]:
        """Order moves at once and let them end; return those that could go nowhere."""
        self.correlation += 1
        versions = {topic: self.bump(topic) for topic in sorted({each.topic for each in moved})}
        plan: list[tuple[int, int, str, Replicated, int]] = []
        still = []
        for each in moved:
            target = another(each.replicas, self.alive, self.rng.choice)
            if target == each.replicas:
                still.append(each)
                continue
            self.accept(each, target, versions[each.topic], client)
            self._planned(plan, each)
        begin = self.now_ms
        for at, _, what, each, broker in sorted(plan, key=lambda step: step[:2]):
            self.now_ms = begin + at
            if what == "cancel":
                self.results["cancelled"] += 1
                self.cancel(each, client)
            elif what == "supersede":
                self.results["superseded"] += 1
                self._another_target(each)
            else:
                cause = self.join(each, broker)
                self.now_ms += 4
                self.results["done"] += 1
                self.end(each, cause)
        self.waves.append({"client_id": client, "at_ms": begin, "moves": len(moved) - len(still)})
        return still

    def _planned(self, plan: list[tuple[int, int, str, Replicated, int]], each: Replicated) -> None:
        """Say when what befalls a move: one broker is to come in sync."""
        chance = self.rng.random()
        takes = max(200, int(each.size / _BYTES_PER_MS * (0.7 + 0.6 * self.rng.random())))
        number = len(plan)
        if chance < 0.04:
            plan.append((takes // 2, number, "cancel", each, 0))
        elif chance < 0.08:
            plan.append((takes // 2, number, "supersede", each, 0))
        else:
            plan.append((takes, number, "join", each, each.adding[0]))

    def _another_target(self, each: Replicated) -> None:
        taken = {*each.replicas, *each.origin}
        free = sorted(self.alive - taken)
        # Where nobody else is left, it is to stay as it was, with another order of moves.
        target = [*each.target[:-1], self.rng.choice(free)] if free else list(each.origin)
        self.accept(each, target, self.bump(each.topic))
        sequence = self.sequences[self.node]
        for broker in each.adding:
            self.now_ms += self.rng.randrange(200, 2_000)
            sequence = self.join(each, broker)
        self.results["done"] += 1
        self.end(each, sequence)

    def lose(self, broker: int) -> None:
        """A broker goes; whoever follows it leads, and it is out of sync everywhere."""
        self.alive.discard(broker)
        self._brokers([broker], [])
        for each in self.partitions:
            if broker in each.isr and (each.isr != [broker] or each.leader == broker):
                before = each.text
                led = each.lose(broker, self.epoch)
                self.change(
                    "elect" if led else "isr-shrink",
                    each,
                    before,
                    f"{self.written(each, None)}{sent([i for i in each.isr if i != broker])}",
                )

    def find(self, broker: int) -> None:
        """The broker comes back, catches up, and leads again where it is preferred."""
        self.alive.add(broker)
        self._brokers([], [broker])
        self.now_ms += 5_000
        for each in self.partitions:
            if broker in each.replicas and broker not in each.isr and broker not in each.adding:
                self.join(each, broker)
            elif each.isr == [broker] and each.leader == -1:
                self._elect(each, broker, "BrokersRead")
        self.now_ms += 300_000
        for each in self.partitions:
            if each.replicas[0] == broker != each.leader and broker in each.isr:
                self._elect(each, broker, "ElectPreferred")

    def _elect(self, each: Replicated, leader: int, event: str) -> None:
        before = each.text
        each.elect(leader, self.epoch)
        fields = (
            f',"fields":{{"partition":["{each.topic}",{each.number}]}}'
            if event == "ElectPreferred"
            else ""
        )
        self.change(
            "elect",
            each,
            before,
            f',"event":{{"kind":"{event}"{fields}}},'
            '"cause":{"kind":"timer","name":"leader rebalance"}'
            f"{self.written(each, None)}{sent(each.replicas)}",
        )

    def _brokers(self, gone: list[int], new: list[int]) -> None:
        path = f"/brokers/ids/{(gone or new)[0]}"
        self.tell(
            "brokers",
            f',"text":"gone {gone}, new {new}, now {sorted(self.alive)}",'
            f'"event":{{"kind":"BrokersRead"}},"cause":{{"kind":"watch","path":"{path}"}},'
            '"messages":[{"kind":"live-brokers"}]',
        )

    def configure(self, entity: str, verb: str, keys: str) -> None:
        """Tell that configs were set or unset."""
        self.correlation += 1
        topic = f',"topic":"{entity.partition("/")[2]}"' if entity.startswith("topics/") else ""
        self.tell(
            "config-altered",
            f',"text":"{entity}: {verb} {keys}"{topic},{self.asked()}'.replace(
                '"api_key":45', '"api_key":44'
            ),
        )
