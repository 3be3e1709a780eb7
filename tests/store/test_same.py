"""Memory and real ZooKeeper side by side: any commits, the same outcomes, events and trees."""

from typing import NamedTuple

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from store_worlds import Client, MemoryWorld, RealWorld

from klamm.controller.store.port import (
    Check,
    Children,
    Committed,
    Create,
    Delete,
    Op,
    ReadChildren,
    ReadData,
    SetData,
    Watch,
    Znode,
)

PATHS = ["/a", "/a/b", "/a/b/c", "/d", "/d/e"]
paths = st.sampled_from(PATHS)
data = st.sampled_from([None, b"", b"1", b"22"])
versions = st.integers(-1, 2)
ops: st.SearchStrategy[Op] = st.one_of(
    st.builds(Create, paths, data, st.booleans(), st.booleans()),
    st.builds(Create, paths, data),
    st.builds(SetData, paths, data, versions),
    st.builds(Delete, paths, versions),
    st.builds(Check, paths, versions),
)
fences = st.none() | st.builds(Check, paths, versions)
watches = st.lists(st.builds(Watch, paths | st.just("/"), st.booleans()), max_size=3)


class Step(NamedTuple):
    """One commit or, if `alone`, an update of its first operation."""

    ops: list[Op]
    fence: Check | None
    alone: bool


steps = st.lists(
    st.builds(Step, st.lists(ops, min_size=1, max_size=4), fences, st.booleans()), max_size=12
)


def outcome(client: Client, step: Step, zxids: dict[int | None, int]) -> object:
    """Return an outcome with zxids numbered as they are first seen: sessions take some, too."""
    first = step.ops[0]
    if step.alone and not isinstance(first, Check):
        found: object = client.update(first)
    else:
        found = client.commit(*step.ops, fence=step.fence)
    if not isinstance(found, Committed):
        return found
    for result in found.results:
        zxids.setdefault(result.czxid, len(zxids))
        zxids.setdefault(result.mzxid, len(zxids))
    return [
        (result.path, result.version, zxids[result.czxid], zxids[result.mzxid])
        for result in found.results
    ]


def tree(client: Client, path: str = "/") -> dict[str, object]:
    """Return every znode below a path, without what differs between two servers."""
    znode, children = client.read(ReadData(path), ReadChildren(path))
    assert isinstance(znode, Znode) and isinstance(children, Children)
    mine = znode.ephemeral_owner == client.store.session
    found: dict[str, object] = {path: (znode.data, znode.version, children.cversion, mine)}
    for name in children.names:
        found |= tree(client, f"{path.rstrip('/')}/{name}")
    return found


@settings(
    max_examples=50,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(steps, watches)
def test_the_same_commits_do_the_same(
    real_world: RealWorld, commits: list[Step], armed: list[Watch]
) -> None:
    """A znode of the chroot serves as the root of each example."""
    real = real_world.open_below()
    memory = MemoryWorld().open()
    seen: tuple[dict[int | None, int], dict[int | None, int]] = ({}, {})
    for client in memory, real:
        client.watch(*armed)
    for step in commits:
        assert outcome(memory, step, seen[0]) == outcome(real, step, seen[1]), step
        assert memory.watched() == real.watched(), step
    assert tree(memory) == tree(real)
    real.store.close()
