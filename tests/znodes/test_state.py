import json

import pytest

from klamm.controller.znodes import (
    NO_LEADER,
    RECOVERING,
    StateZnode,
    ZnodeError,
    decode_state,
    encode_state,
)

PATH = "/brokers/topics/foo/partitions/0/state"
PLAIN = b'{"controller_epoch":1,"leader":1,"version":1,"leader_epoch":0,"isr":[1,2]}'


def test_no_leader_is_minus_one_and_an_isr_may_be_empty() -> None:
    data = PLAIN.replace(b'"leader":1', b'"leader":-1').replace(b"[1,2]", b"[]")
    assert decode_state(data, PATH) == StateZnode(NO_LEADER, 0, (), 1)


@pytest.mark.parametrize("state", [0, 1])
def test_the_recovery_state_is_written_only_while_recovering(state: int) -> None:
    znode = StateZnode(1, 0, (1, 2), 1, state)
    assert (b"leader_recovery_state" in encode_state(znode)) == (state == RECOVERING)
    assert decode_state(encode_state(znode), PATH) == znode


@pytest.mark.req("R455-79")
def test_unknown_keys_survive_a_rewrite() -> None:
    fields = {**json.loads(PLAIN), "note": {"by": ["others", 1]}, "x": None}
    znode = decode_state(json.dumps(fields).encode(), PATH)
    assert znode.extra == {"note": {"by": ["others", 1]}, "x": None}
    assert json.loads(encode_state(znode)) == fields


def test_znodes_without_unknown_keys_share_one_empty_dict() -> None:
    assert decode_state(PLAIN, PATH).extra is decode_state(PLAIN, PATH).extra
    assert decode_state(PLAIN, PATH).extra is StateZnode(1, 0, (1,), 1).extra


def test_the_version_may_be_missing() -> None:
    assert decode_state(PLAIN.replace(b'"version":1,', b""), PATH) == StateZnode(1, 0, (1, 2), 1)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (b'"leader":1', b'"leader":-2', "Expected `int` >= -1 - at `$.leader`"),
        (b'"leader":1', b'"leader":"1"', "got `str` - at `$.leader`"),
        (b'"leader":1,', b"", "missing required field `leader`"),
        (b'"leader_epoch":0', b'"leader_epoch":-1', "at `$.leader_epoch`"),
        (b'"leader_epoch":0', b'"leader_epoch":0.0', "got `float`"),
        (b'"controller_epoch":1', b'"controller_epoch":true', "got `bool`"),
        (b"[1,2]", b"[1,2,1]", "isr names broker 1 twice: [1, 2, 1]"),
        (b"[1,2]", b"[-1]", "at `$.isr[0]`"),
        (b"[1,2]", b"null", "got `null` - at `$.isr`"),
        (b"[1,2]", b'[1],"leader_recovery_state":2', "at `$.leader_recovery_state`"),
    ],
)
def test_what_cannot_be_read_is_an_error(old: bytes, new: bytes, said: str) -> None:
    with pytest.raises(ZnodeError, match=f"^{PATH}: ") as caught:
        decode_state(PLAIN.replace(old, new), PATH)
    assert said in caught.value.reason


def test_null_data_are_an_error() -> None:
    with pytest.raises(ZnodeError, match="it holds no data"):
        decode_state(None, PATH)
