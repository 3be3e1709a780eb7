"""What `klamm up` prints: where everything is, and what to try first."""

from klamm.tools.cli._cluster import Cluster


def welcome(cluster: Cluster) -> str:
    """Tell where everything is and what to try first."""
    brokers = cluster.brokers.brokers
    ids = f"{min(brokers)}-{max(brokers)}" if len(brokers) > 1 else "0"
    ports = ", ".join(str(broker.port) for broker in brokers.values())
    first, *others = cluster.nodes
    nodes = (
        f"the controllers, nodes {first.id}-{others[-1].id}"
        if others
        else (f"the controller, node {first.id}")
    )
    zookeeper = f"{cluster.zookeeper}   a real one" if cluster.zookeeper else "in memory"
    lines = [
        "",
        f"  bootstrap  {cluster.bootstrap}   {nodes}",
        f"  zookeeper  {zookeeper}",
        f"  brokers    {ids} on ports {ports}   simulated",
        "",
        *_recipe(cluster.bootstrap, list(brokers)),
        "Ctrl-C stops it all and leaves nothing behind.",
    ]
    return "\n".join(lines)


def _recipe(bootstrap: str, brokers: list[int]) -> list[str]:
    """Tell what to paste. The topic is created on named replicas, so that its move is a move.

    kafka-python's command line lets the controller choose replicas; its library can name them.
    """
    # At most three replicas, and the last broker without one, if there is more than one broker.
    count = max(1, min(3, len(brokers) - 1))
    first, target = brokers[:count], brokers[-count:][::-1]
    admin = f"kafka-python admin -b {bootstrap}"
    lines = [
        "Try, in another terminal with Python (pip install kafka-python):",
        "",
        "  from kafka import KafkaAdminClient, TopicPartition",
        f'  admin = KafkaAdminClient(bootstrap_servers="{bootstrap}")',
        f'  admin.create_topics({{"orders": {{"assignments": {{0: {first}, 1: {first}}}}}}})',
    ]
    if len(brokers) == 1:
        look = [f"  {admin} topics describe -t orders", ""]
        alone = "A move needs two brokers or more: --brokers 2, or leave it out for five."
        return [*lines, "", "or from the shell:", "", *look, alone, ""]
    return [
        *lines,
        f'  admin.alter_partition_reassignments({{TopicPartition("orders", 1): {target}}})',
        "  admin.list_partition_reassignments()",
        "",
        "and then from the shell, where a move of orders-0 can be watched or cancelled:",
        "",
        f"  {admin} topics describe -t orders",
        f"  {admin} partitions alter-reassignments -r orders:0={','.join(map(str, target))}",
        f"  {admin} partitions list-reassignments",
        f"  {admin} partitions alter-reassignments -r orders:0=cancel",
        "",
    ]
