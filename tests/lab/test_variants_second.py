"""Bugs of history put back in, second half: orders by znode, debts, znodes, and brokers.

Each turns red in its script by what it is about, and klamm is green there.
"""

from collections.abc import Mapping
from functools import cache

import pytest

from klamm.tools.lab import registry
from klamm.tools.lab.exhibit import STORY
from klamm.tools.lab.matrix import Cell, klamm_beside, look
from klamm.tools.lab.variant import OWN_SCRIPT
from klamm.tools.lab.variants import NOT_EXPRESSED

#: The rows of the catalogue that are proven here, and what each violates; "story" is a claim.
#: Where there are several, the first one seen is enough.
RED: Mapping[str, str] = {
    "F01": STORY,
    "F03": "I12",
    "F06": "liveness",
    "F08": "I12",
    "F09": "liveness",
    "F10": "I7",
    "F11": "fault",
    "F12": "I7",
    "F13": "I5 liveness",
    "F14": STORY,
    "F17": STORY,
    "F18": STORY,
    "F27": STORY,
    "F34": "fault",
    "F41": "liveness",
    "F42": "liveness",
    "F43": "liveness",
    "F44": STORY,
    "H1": "I2",
    "H2": STORY,
    "H4": STORY,
    "H7": "liveness",
    "H9": "liveness",
    "N1": STORY,
    "N2": STORY,
    "N4": "I2",
    "N9": STORY,
    "N10": STORY,
    "N11": "I12",
}

#: What liveness, a claim, or an exception of the code says where that alone could be anything.
SAYS: Mapping[str, str] = {
    "F01": "the client's word counts",
    "F06": "/admin/reassign_partitions is still there",
    "F09": "/admin/reassign_partitions is still there",
    "F11": "broker 1 knows no replica 2 of t-0",
    "F13": "broker 3",
    "F14": "the move has ended",
    "F17": "u-0 does not wait for it: 4 leads",
    "F18": "two are in sync: replicas [2, 3], ISR [3]",
    "F27": "not 3",
    "F34": "is larger than the current one",
    "F41": "t-0: [2] could be in sync",
    "F42": "t-0 still moves to [1, 3, 4]",
    "F43": "t-0 still moves to [1, 3]",
    "F44": "broker 2 has to fetch first",
    "H2": "t-0 is where it was",
    "H4": "what replaced the order has happened",
    "H7": "I10: broker 2 keeps a log of t-0",
    "H9": "/admin/reassign_partitions is still there",
    "N1": "n2 is in office",
    "N2": "n2 is in office",
    "N9": "the order stands as it did",
    "N10": "u-0 is not to be moved any more",
}

#: Rows whose story an exhibit tells; its tests say what they violate.
IN_EXHIBITS = {"F15", "F16"}


@cache
def found(id_: str) -> Cell:
    return look(id_, OWN_SCRIPT)


def test_no_row_is_missing() -> None:
    rows = {f"F{number:02}" for number in (1, 3, 6, 7, 8, 9, *range(10, 19), 27, 34)}
    rows |= {f"F{number}" for number in range(41, 45)}
    rows |= {f"H{number}" for number in (1, 2, 4, 7, 9)}
    rows |= {f"N{number}" for number in (1, 2, 4, 9, 10, 11)}
    assert rows == RED.keys() | IN_EXHIBITS | (rows & NOT_EXPRESSED.keys())
    assert not RED.keys() & NOT_EXPRESSED.keys()


@pytest.mark.parametrize("id_", RED)
def test_a_variant_is_red_by_what_it_is_about(id_: str) -> None:
    assert registry.variant(id_).exposed_by == OWN_SCRIPT
    cell = found(id_)
    assert cell.invariant in RED[id_].split(), cell
    assert SAYS.get(id_, "") in cell.text


@pytest.mark.parametrize("id_", RED)
def test_klamm_is_green_in_the_script_in_which_a_variant_is_red(id_: str) -> None:
    product = klamm_beside(id_, found(id_))
    assert not product.red, product.text


def test_what_is_not_expressed_says_why() -> None:
    assert all(reason.endswith(".") for reason in NOT_EXPRESSED.values())
