"""What is not right at the end: in ZooKeeper, in memory, on the brokers. Pure.

Each function looks at one matter and says in words what is wrong; nothing is what it should say.
"""

from collections.abc import Callable, Iterator, Mapping

from klamm.tools.chaos.history import Final, Replicas, StateSeen, partition, topic_of


def assignments(final: Final) -> dict[str, Replicas]:
    """Return every partition's assignment by its name."""
    return {
        partition(topic, number): held
        for topic, partitions in final.topics.items()
        for number, held in partitions.items()
    }


def moves_have_ended(final: Final) -> Iterator[str]:
    """No move is under way and no topic waits for its deletion."""
    for name, held in assignments(final).items():
        if held.moving:
            yield f"{name} still moves: {held}"
    for topic in final.deletions:
        yield f"topic {topic} waits for its deletion"


def znodes_are_memory(final: Final) -> Iterator[str]:
    """The controller lists the moves of the znodes, and every node tells what they hold."""
    held, controller = assignments(final), final.controller
    if controller is None or controller not in final.told:
        yield f"/controller names {controller}, which does not answer"
    moving = {name: each for name, each in held.items() if each.moving}
    for name in moving.keys() | final.listed.keys():
        if moving.get(name) != final.listed.get(name):
            yield f"{name} is {moving.get(name)} in ZooKeeper, listed as {final.listed.get(name)}"
    for node, told in final.told.items():
        for name in sorted(held.keys() | told.keys()):
            there = _plain(held.get(name), final.states.get(name))
            said = told.get(name)
            if there != (None if said is None else (said[0], _sorted(said[1]))):
                yield f"{name} is {there} in ZooKeeper; node {node} says {said}"


def leaders_lead(final: Final) -> Iterator[str]:
    """Every partition has one leader, alive, that knows it is; all replicas are in sync."""
    leaders: dict[str, list[int]] = {}
    for broker, names in final.leads.items():
        for name in names:
            leaders.setdefault(name, []).append(broker)
    for name, held in assignments(final).items():
        state = final.states.get(name)
        if state is None:
            yield f"{name} has no state znode"
        elif state.leader not in state.isr or state.leader not in final.alive:
            yield f"{name} is led by {state.leader}, with ISR {list(state.isr)}"
        elif leaders.get(name) != [state.leader]:
            yield f"{name} is led by {state.leader}; leaders by themselves: {leaders.get(name)}"
        elif set(state.isr) != set(held.replicas):
            yield f"{name} has replicas {list(held.replicas)} and ISR {list(state.isr)}"


def disks_hold_replicas(final: Final) -> Iterator[str]:
    """No broker has a stray replica, and none lacks one that it should have."""
    held = assignments(final)
    for broker, names in final.disks.items():
        for name in names:
            if name not in held:
                why = "which is deleted" if topic_of(name) not in final.topics else "unknown"
                yield f"broker {broker} holds {name}, {why}"
            elif broker not in held[name].replicas:
                yield f"broker {broker} holds {name}, whose replicas are {held[name].replicas}"
    for name, each in held.items():
        for broker in each.replicas:
            if name not in final.disks.get(broker, ()):
                yield f"broker {broker} lacks its replica of {name}"


MATTERS: Mapping[str, Callable[[Final], Iterator[str]]] = {
    "after healing all moves end": moves_have_ended,
    "znodes equal memory": znodes_are_memory,
    "leaders and ISRs are sane": leaders_lead,
    "disks hold what is assigned, no strays": disks_hold_replicas,
}


def unsettled(final: Final) -> list[str]:
    """Return everything that is not right."""
    return [text for matter in MATTERS.values() for text in matter(final)]


def _plain(
    held: Replicas | None, state: StateSeen | None
) -> tuple[tuple[int, ...], StateSeen] | None:
    if held is None or state is None:
        return None
    return held.replicas, _sorted(state)


def _sorted(state: StateSeen) -> StateSeen:
    return StateSeen(state.leader, state.leader_epoch, tuple(sorted(state.isr)))
