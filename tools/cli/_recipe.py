"""What `klamm up` prints: where everything is, and what to try first."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from klamm.controller.brokers.metadata import TopicMetadata
from klamm.tools.cli._cluster import Cluster
from klamm.tools.cli._security import GUEST, GUEST_FILE, OUTSIDE, LocalSecurity
from klamm.tools.cli._sizes import counted

#: So many topics are named, and the others counted.
_SHOWN = 5
#: The topic of the recipe if there is none yet; another one may have taken its name.
_NAMES = ("orders", "orders-to-move", "klamm-orders-to-move")


def welcome(
    cluster: Cluster,
    ready_file: Path | None = None,
    journals: Sequence[Path] = (),
    earlier: Collection[Path] = (),
) -> str:
    """Tell where everything is and what to try first.

    `journals` are the nodes' files, in their order; those of `earlier` were there before.
    """
    brokers, topics = list(cluster.brokers.brokers), _topics(cluster)
    orders = f"--ready-file {ready_file}" if ready_file else f"--control {cluster.control}"
    lines = [
        "",
        *_places(cluster, topics),
        *_journals(cluster, journals, earlier),
        "",
        *(
            _secured(cluster)
            if cluster.security.client_file is not None
            else _recipe(cluster.bootstrap, brokers, _topic(brokers, topics))
        ),
        "How the brokers are, and what befalls them (klamm broker --help has more):",
        "",
        f"  klamm broker status {orders}",
        f"  klamm broker freeze {brokers[-1]} {orders}",
        f"  klamm broker thaw {brokers[-1]} {orders}",
        "",
        *_successors(cluster),
        f"Ctrl-C stops it all and leaves nothing behind{', but the journals' if journals else ''}.",
    ]
    return "\n".join(lines)


def _places(cluster: Cluster, topics: Mapping[str, TopicMetadata]) -> list[str]:
    brokers = cluster.brokers.brokers
    ports = ", ".join(str(broker.port) for broker in brokers.values())
    ids, noun = (f"0-{max(brokers)}", "ports") if len(brokers) > 1 else ("0", "port")
    first, *others = cluster.nodes
    nodes = (
        f"nodes {first.id}-{others[-1].id}; the controller is {cluster.office.id}"
        if others
        else f"the controller, node {first.id}"
    )
    zookeeper = f"{cluster.zookeeper}   a real one" if cluster.zookeeper else "in memory"
    lines = [
        f"  bootstrap  {cluster.bootstrap}   {nodes}",
        f"  zookeeper  {zookeeper}",
        f"  brokers    {ids} on {noun} {ports}   simulated",
    ]
    if topics:
        shown = [
            f"{topic.name} ({counted(len(topic.partitions), 'partition')})"
            for topic in islice(topics.values(), _SHOWN)
        ]
        more = [f"{len(topics) - _SHOWN} more"] if len(topics) > _SHOWN else []
        lines.append(f"  topics     {', '.join([*shown, *more])}")
    return lines


def _secured(cluster: Cluster) -> list[str]:
    """Tell how clients get in, by Kafka's own tools and by a library."""
    security, file = cluster.security, cluster.security.client_file
    login = f"as user {OUTSIDE} by {security.sasl}" if security.sasl else "with its certificate"
    given = [f'bootstrap_servers="{cluster.bootstrap}"', f'security_protocol="{security.protocol}"']
    if "ssl.truststore.location" in security.client:
        given.append(f'ssl_cafile="{security.client["ssl.truststore.location"]}"')
    if "ssl.keystore.location" in security.client:
        given.append(f'ssl_certfile="{security.client["ssl.keystore.location"]}"')
        given.append(f'ssl_keyfile="{security.client["ssl.keystore.location"]}"')
    if security.sasl is not None:
        given.append(f'sasl_mechanism="{security.sasl}"')
        given.append(f'sasl_plain_username="{OUTSIDE}"')
        given.append('sasl_plain_password="..."')  # which is in the file
    arguments = [f"      {each}," for each in given]
    return [
        f"Clients come by {security.protocol}, {login}. Kafka's own tools, and klamm's,",
        "need only this file, which is gone when the cluster stops:",
        "",
        f"  kafka-reassign-partitions.sh --bootstrap-server {cluster.bootstrap} \\",
        f"    --command-config {file} --list",
        "",
        *_guest(cluster.security),
        "kafka-python is told the same by name:",
        "",
        "  from kafka import KafkaAdminClient",
        "  admin = KafkaAdminClient(",
        *arguments,
        "  )",
        "  admin.list_partition_reassignments()",
        "",
    ]


def _guest(security: LocalSecurity) -> list[str]:
    """Name the file of the user whom access control lists are tried with, if there is one."""
    if GUEST not in security.users:
        return []
    return [
        f"{GUEST_FILE} beside it is for user {GUEST}, who may do what access control lists allow:",
        "nothing, to begin with.",
        "",
    ]


def _successors(cluster: Cluster) -> list[str]:
    """Tell how to make another node controller, if there is one in a process of its own."""
    if len({node.pid for node in cluster.nodes}) == 1:
        return []
    return [
        "Another node takes over when the controller's session has ended:",
        "",
        f"  kill -9 {cluster.office.pid}",
        "",
    ]


def _journals(cluster: Cluster, journals: Sequence[Path], earlier: Collection[Path]) -> list[str]:
    """Name the controller's journal, and say which files hold the lines of an earlier cluster."""
    if not journals:
        return []
    of_office = journals[cluster.nodes.index(cluster.office)]
    if of_office.is_relative_to(Path.cwd()):
        of_office = of_office.relative_to(Path.cwd())
    beside = "; those of the standbys are beside it" if len(journals) > 1 else ""
    lines = [f"  journal    {of_office}   the controller's{beside}"]
    if earlier:
        names = ", ".join(path.name for path in journals if path in earlier)
        goes = "goes" if len(earlier) == 1 else "go"
        lines.append(f"             {names} {goes} on after lines of an earlier cluster")
    return lines


@dataclass(frozen=True, slots=True)
class _Topic:
    """The topic of the recipe: replicas of its first partitions, and whether it is there."""

    name: str
    replicas: Mapping[int, tuple[int, ...]]
    exists: bool


def _topics(cluster: Cluster) -> Mapping[str, TopicMetadata]:
    """Return the topics that the cluster was started with, which every broker knows of."""
    first = min(cluster.brokers.brokers)
    return cluster.brokers.cluster.brokers[first].metadata.topics


def _topic(brokers: list[int], topics: Mapping[str, TopicMetadata]) -> _Topic:
    """Choose a topic that is there and can move, or one to create on the first brokers.

    Of a single broker's topics none can move, and any will do.
    """
    for topic in topics.values():
        numbers = [number for number in (0, 1) if number in topic.partitions]
        replicas = {number: topic.partitions[number].replicas for number in numbers}
        if len(brokers) == 1 or all(len(each) < len(brokers) for each in replicas.values()):
            return _Topic(topic.name, replicas, exists=True)
    # At most three replicas, and the last broker without one, if there is more than one broker.
    first = tuple(brokers[: max(1, min(3, len(brokers) - 1))])
    name = next(name for name in _NAMES if name not in topics)
    return _Topic(name, {0: first, 1: first}, exists=False)


def _target(brokers: list[int], replicas: tuple[int, ...]) -> list[int]:
    """Return as many others as there are, from the last one down."""
    others = sorted(set(brokers) - set(replicas), reverse=True)
    return [*others, *sorted(replicas, reverse=True)][: len(replicas)]


def _recipe(bootstrap: str, brokers: list[int], topic: _Topic) -> list[str]:
    """Tell what to paste. The topic is created on named replicas, so that its move is a move.

    kafka-python's command line lets the controller choose replicas; its library can name them.
    """
    name = topic.name
    admin = f"kafka-python admin -b {bootstrap}"
    lines = [
        "Try, in another terminal with Python (pip install kafka-python):",
        "",
        "  from kafka import KafkaAdminClient, TopicPartition",
        f'  admin = KafkaAdminClient(bootstrap_servers="{bootstrap}")',
    ]
    if not topic.exists:
        assignments = {number: list(replicas) for number, replicas in topic.replicas.items()}
        lines.append(f'  admin.create_topics({{"{name}": {{"assignments": {assignments}}}}})')
    if len(brokers) == 1:
        look = [f"  {admin} topics describe -t {name}", ""]
        alone = "A move needs two brokers or more: --brokers 2, or leave it out for five."
        return [*lines, "", "or from the shell:", "", *look, alone, ""]
    if 1 in topic.replicas:
        target = _target(brokers, topic.replicas[1])
        asked = f'{{TopicPartition("{name}", 1): {target}}}'
        lines.append(f"  admin.alter_partition_reassignments({asked})")
    target = _target(brokers, topic.replicas[0])
    return [
        *lines,
        "  admin.list_partition_reassignments()",
        "",
        f"and then from the shell, where a move of {name}-0 can be watched or cancelled:",
        "",
        f"  {admin} topics describe -t {name}",
        f"  {admin} partitions alter-reassignments -r {name}:0={','.join(map(str, target))}",
        f"  {admin} partitions list-reassignments",
        f"  {admin} partitions alter-reassignments -r {name}:0=cancel",
        "",
    ]
