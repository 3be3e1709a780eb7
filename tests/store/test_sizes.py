"""Computed sizes against the bytes that are sent, ours and kazoo's own."""

from hypothesis import given, settings
from hypothesis import strategies as st
from kazoo.protocol import serialization as kazoo
from kazoo.security import OPEN_ACL_UNSAFE

from klamm.controller.core.sizes import multi_size, op_size, update_size
from klamm.controller.store import jute
from klamm.controller.store.port import Check, Create, Delete, Op, SetData

XID_AND_OPCODE = 8

paths = st.lists(st.text("aZ0-_é漢", min_size=1, max_size=8), max_size=4).map(
    lambda names: "/" + "/".join(names)
)
chroots = st.sampled_from(["", "/kafka", "/kafka/ü"])
data = st.none() | st.binary(max_size=40)
versions = st.integers(-1, 2**31 - 1)
ops = st.one_of(
    st.builds(Check, paths, versions),
    st.builds(Create, paths, data, st.booleans(), st.booleans()),
    st.builds(SetData, paths, data, versions),
    st.builds(Delete, paths, versions),
)
fences = st.none() | st.builds(Check, paths, versions)


def as_kazoo(op: Op, chroot: str) -> object:
    path = chroot if chroot and op.path == "/" else chroot + op.path
    match op:
        case Check(_, version):
            return kazoo.CheckVersion(path, version)
        case Create(_, content, ephemeral, sequential):
            return kazoo.Create2(path, content, OPEN_ACL_UNSAFE, ephemeral + 2 * sequential)
        case SetData(_, content, version):
            return kazoo.SetData(path, content, version)
        case Delete(_, version):
            return kazoo.Delete(path, version)


@settings(deadline=None)
@given(st.lists(ops, min_size=1, max_size=6), fences, chroots)
def test_a_multi_is_the_bytes_that_kazoo_makes_and_as_large_as_computed(
    operations: list[Op], fence: Check | None, chroot: str
) -> None:
    multi = operations if fence is None else [fence, *operations]
    body = jute.encode_multi(multi, chroot)
    assert body == kazoo.Transaction([as_kazoo(op, chroot) for op in multi]).serialize()
    assert multi_size(operations, fence, chroot) == XID_AND_OPCODE + len(body)
    assert multi_size([], None) + sum(op_size(op, chroot) for op in multi) == multi_size(
        operations, fence, chroot
    )


@settings(deadline=None)
@given(ops, chroots)
def test_an_update_is_the_bytes_that_kazoo_makes_and_as_large_as_computed(
    op: Op, chroot: str
) -> None:
    body = jute.encode_op(op, chroot)
    assert body == as_kazoo(op, chroot).serialize()  # type: ignore[attr-defined]  # a kazoo request
    assert update_size(op, chroot) == XID_AND_OPCODE + len(body)
