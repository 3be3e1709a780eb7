"""The two modes in which tests of moves run: carried out whole, and in steps of one replica.

In steps, one partition at a time moves, by one replica at a time (KIP-435, "Test Plan"). Tests say
`@both_modes` if what they claim holds in both; the clusters of a folder are those of its `mode`.
"""

import pytest

from klamm.controller.configs.cluster_wide import (
    LEADER_MOVEMENTS,
    PARTITION_MOVEMENTS,
    REPLICA_MOVEMENTS,
    ClusterWide,
)
from klamm.controller.core.pace import Limits

WHOLE, IN_STEPS = "whole", "in steps"
MODES = (WHOLE, IN_STEPS)

#: By mode the properties with which a controller or broker is started.
PROPERTIES: dict[str, dict[str, str]] = {
    WHOLE: {},
    IN_STEPS: dict.fromkeys((REPLICA_MOVEMENTS, PARTITION_MOVEMENTS, LEADER_MOVEMENTS), "1"),
}
#: By mode what holds where nothing is stored, for nodes without a process.
CLUSTER_WIDE = {WHOLE: ClusterWide(), IN_STEPS: ClusterWide(Limits(1, 1, 1))}

both_modes = pytest.mark.parametrize("mode", MODES, indirect=True)


def mode_of(request: pytest.FixtureRequest) -> str:
    """The mode that a test runs in: whole, unless it says `@both_modes`."""
    mode: str = getattr(request, "param", WHOLE)
    return mode
