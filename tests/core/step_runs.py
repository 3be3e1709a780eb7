"""Random runs of moves in steps: with all that can happen to them, or with nothing but joining."""

from random import Random

from core.step_checks import Breach
from core.step_model import FUNCTIONS, Functions, World

from klamm.controller.core.model import TopicPartition
from klamm.controller.core.pace import UNLIMITED, Limits

NAMES = [TopicPartition(topic, number) for topic in ("a", "b") for number in (0, 1)]


def run_with_faults(seed: int, functions: Functions = FUNCTIONS) -> World:
    """Do anything to a few moves, then let all faults end; Breach if V1 to V8 do not hold."""
    random = Random(seed)
    world = begin(random, functions)
    happenings = (join, join, join, join, join, lag, kill, revive, limit, fail_over, retarget)
    for _ in range(random.randint(5, 40)):
        random.choice(happenings)(world, random)
    for broker in world.brokers:
        world.revive(broker)
    end(world, random)
    return world


def run_without_faults(seed: int, functions: Functions = FUNCTIONS) -> World:
    """Let replicas join in random order; Breach if that takes more steps than it may."""
    random = Random(seed)
    world = begin(random, functions)
    end(world, random)
    return world


def begin(random: Random, functions: Functions) -> World:
    ids = range(random.randint(3, 10))
    world = World(ids, limits(random), random.randint(1, 4), functions)
    for name in NAMES[: random.randint(1, 3)]:
        replicas = some(random, ids)
        isr = random.sample(replicas, random.randint(1, len(replicas)))
        world.create(name, replicas, replicas if random.random() < 0.5 else isr)
        world.move(name, some(random, ids))
    return world


def end(world: World, random: Random) -> None:
    """Let one after another catch up until nothing moves; in so many steps each move has to end."""
    most = {}
    for name, moved in world.partitions.items():
        most[name] = len(moved.assignment.adding) + len(moved.assignment.removing) + 2
        moved.steps = 0
    while late := [(name, b) for name, m in world.partitions.items() for b in m.late]:
        assert world.join(*random.choice(late))
    for name, moved in world.partitions.items():
        if moved.pace is not None:
            raise Breach(f"V2: {name} does not end: {moved}")
        if moved.steps > most[name]:
            raise Breach(f"V2: {name} took {moved.steps} steps, not {most[name]}: {moved}")


def some(random: Random, ids: range) -> list[int]:
    return random.sample(ids, random.randint(1, min(6, len(ids))))


def limits(random: Random) -> Limits:
    one = (1, 1, 2, 3, UNLIMITED)
    return Limits(*(random.choice(one) for _ in range(3)))


def name_of(world: World, random: Random) -> TopicPartition:
    return random.choice(list(world.partitions))


def join(world: World, random: Random) -> None:
    name = name_of(world, random)
    world.join(name, random.choice(world.partitions[name].hosted))


def lag(world: World, random: Random) -> None:
    """Let one follower fall out of sync, or, as when the leader's network breaks, all of them."""
    name = name_of(world, random)
    isr = world.partitions[name].isr
    for broker in isr if random.random() < 0.3 else [random.choice(isr)]:
        world.lag(name, broker)


def kill(world: World, random: Random) -> None:
    world.kill(random.choice(world.brokers))


def revive(world: World, random: Random) -> None:
    world.revive(random.choice(world.brokers))


def limit(world: World, random: Random) -> None:
    world.limit(limits(random))


def fail_over(world: World, random: Random) -> None:
    world.fail_over(hints=random.random() < 0.5)


def retarget(world: World, random: Random) -> None:
    name = name_of(world, random)
    if random.random() < 0.4:
        world.cancel(name)
    else:
        world.move(name, some(random, range(len(world.brokers))))
