"""A world in either profile, for what both do alike."""

import pytest
from admin.world import kip, with_topics
from node_world import World


@pytest.fixture(params=["apache-3.9", "kip-455"])
def world(request: pytest.FixtureRequest) -> World:
    """Three topics, in either profile."""
    return with_topics(config=None if request.param == "apache-3.9" else kip())
