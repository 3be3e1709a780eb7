"""What a local cluster is made of."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from klamm.tools.brokers.settings import BANDWIDTH, PARTITION_BYTES
from klamm.tools.cli._security import LocalSecurity, Wish
from klamm.tools.cli._topics import NewTopic
from klamm.tools.cli._zookeepers import MEMORY

HOST = "127.0.0.1"
NODE_ID = 900

#: What a simulated broker has unless it is to have more.
ONE_LOG_DIR = ("/data",)


@dataclass(frozen=True, slots=True)
class ClusterOptions:
    """What to start.

    `zookeeper` is the connect string of one that runs already, or `MEMORY` for one in this
    process, which needs no Java; without it a real one is started. `nodes` is how many controller
    nodes: 900, 901, ..., the first on `port`, and in `processes` of their own if wanted. Racks are
    dealt out in turn. Brokers in `frozen` never catch up. `partition_bytes` is what each partition
    holds, `produce_rate` what grows it and `bandwidth` what a broker copies, in bytes per second.
    `properties` are those of every node; each writes its journal to a file in `journals`.
    `log_dirs` are those of every broker.
    """

    brokers: Sequence[int] = (0, 1, 2, 3, 4)
    port: int = 0
    zookeeper: str | None = None
    partition_bytes: int = PARTITION_BYTES
    bandwidth: float = BANDWIDTH
    produce_rate: float = 0.0
    nodes: int = 1
    processes: bool = False
    racks: int = 0
    frozen: Collection[int] = ()
    topics: Mapping[str, NewTopic] = field(default_factory=dict)
    properties: Mapping[str, str] = field(default_factory=dict)
    journals: Path | None = None
    log_dirs: Sequence[str] = ONE_LOG_DIR
    security: Wish = Wish()

    @property
    def in_memory(self) -> bool:
        """Tell whether everything lives in this process alone."""
        return self.zookeeper == MEMORY

    def rack(self, number: int) -> str | None:
        """Return the rack of the broker or node of this number, None without racks."""
        return f"r{number % self.racks}" if self.racks else None

    @property
    def journal_files(self) -> tuple[Path, ...]:
        """The journal of each node, in the nodes' order; none without `journals`."""
        if self.journals is None:
            return ()
        return tuple(self.journals / f"node-{NODE_ID + n}.jsonl" for n in range(self.nodes))

    def node_properties(
        self, zookeeper: str, security: LocalSecurity | None = None
    ) -> tuple[dict[str, str], ...]:
        """Return what each node is started with."""
        security = security or LocalSecurity()
        found = []
        journals = self.journal_files
        for number in range(self.nodes):
            port = self.port if number == 0 else 0
            properties = {
                **security.properties,
                **self.properties,
                "node.id": str(NODE_ID + number),
                "zookeeper.connect": zookeeper,
                "listeners": f"{security.protocol}://{HOST}:{port}",
            }
            rack = self.rack(number)
            if rack is not None:
                properties["broker.rack"] = rack
            if journals:
                properties["klamm.journal.file"] = str(journals[number])
            found.append(properties)
        return tuple(found)
