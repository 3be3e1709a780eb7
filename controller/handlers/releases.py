"""What Kafka's releases advertise: the versions of each API that clients of that release know.

Facts from the message schemas of each release (validVersions, without versions still in the
making) for brokers in ZooKeeper mode up to 3.9, in KRaft mode from 4.0 on. 4.0 dropped the oldest
versions (KIP-896).
"""

from collections.abc import Mapping
from types import MappingProxyType

RELEASES = (
    *("2.3", "2.4", "2.5", "2.6", "2.7", "2.8"),
    *("3.0", "3.1", "3.2", "3.3", "3.4", "3.5", "3.6", "3.7", "3.8", "3.9"),
    *("4.0", "4.1"),
)

#: What klamm shows unless it is told otherwise.
DEFAULT = "3.9"

#: By key, from which release on which versions were advertised: first and last.
HISTORY: Mapping[int, tuple[tuple[str, int, int], ...]] = MappingProxyType(
    {
        0: (("2.3", 0, 7), ("2.4", 0, 8), ("2.8", 0, 9), ("3.7", 0, 10), ("3.8", 0, 11),
            ("4.0", 0, 12), ("4.1", 0, 13)),
        3: (("2.3", 0, 8), ("2.4", 0, 9), ("2.8", 0, 11), ("3.1", 0, 12), ("4.0", 0, 13)),
        17: (("2.3", 0, 1),),
        18: (("2.3", 0, 2), ("2.4", 0, 3), ("3.9", 0, 4)),
        19: (("2.3", 0, 3), ("2.4", 0, 5), ("2.7", 0, 6), ("2.8", 0, 7), ("4.0", 2, 7)),
        20: (("2.3", 0, 3), ("2.4", 0, 4), ("2.7", 0, 5), ("2.8", 0, 6), ("4.0", 1, 6)),
        29: (("2.3", 0, 1), ("2.5", 0, 2), ("3.3", 0, 3), ("4.0", 1, 3)),
        30: (("2.3", 0, 1), ("2.5", 0, 2), ("3.3", 0, 3), ("4.0", 1, 3)),
        31: (("2.3", 0, 1), ("2.5", 0, 2), ("3.3", 0, 3), ("4.0", 1, 3)),
        32: (("2.3", 0, 2), ("2.6", 0, 3), ("2.8", 0, 4), ("4.0", 1, 4)),
        33: (("2.3", 0, 1), ("2.8", 0, 2)),
        34: (("2.3", 0, 1), ("2.8", 0, 2), ("4.0", 1, 2)),
        35: (("2.3", 0, 1), ("2.6", 0, 2), ("3.2", 0, 3), ("3.3", 0, 4), ("4.0", 1, 4)),
        36: (("2.3", 0, 1), ("2.5", 0, 2)),
        37: (("2.3", 0, 1), ("2.5", 0, 2), ("2.7", 0, 3)),
        43: (("2.3", 0, 0), ("2.4", 0, 2)),
        44: (("2.3", 0, 0), ("2.4", 0, 1)),
        45: (("2.4", 0, 0), ("4.1", 0, 1)),
        46: (("2.4", 0, 0),),
        50: (("2.7", 0, 0),),
        51: (("2.7", 0, 0),),
        60: (("2.8", 0, 0), ("3.7", 0, 1), ("4.0", 0, 2)),
        75: (("4.0", 0, 0),),
    }
)  # fmt: skip


def versions_of(release: str) -> dict[int, range]:
    """Return the versions that a release advertises, by key; raises ValueError for no release."""
    if release not in RELEASES:
        raise ValueError(f"no release of Kafka {release!r}: one of {', '.join(RELEASES)} is needed")
    present = RELEASES.index(release)
    found = {}
    for key, steps in HISTORY.items():
        for since, first, last in steps:
            if RELEASES.index(since) <= present:
                found[key] = range(first, last + 1)
    return found
