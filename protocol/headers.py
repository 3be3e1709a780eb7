"""Which header version goes with which request.

The rules are in Kafka's generator (ApiMessageTypeGenerator.java): flexible versions have tagged
fields in their headers. Two exceptions are older than the rule.
"""

from __future__ import annotations

from klamm.protocol.registry import api

CONTROLLED_SHUTDOWN = 7
API_VERSIONS = 18


def request_header_version(api_key: int, version: int) -> int:
    """Give 2 for flexible versions and 1 for others, which have a client id but no tags.

    ControlledShutdown v0 has not even a client id: header version 0.
    """
    if (api_key, version) == (CONTROLLED_SHUTDOWN, 0):
        return 0
    return 2 if _flexible(api_key, version) else 1


def response_header_version(api_key: int, version: int) -> int:
    """Give 1, with tags, for flexible versions and 0 for others.

    An ApiVersions response always has version 0 (KIP-511): its reader may have asked with a
    version that the server does not know, and cannot know then which header comes back.
    """
    if api_key == API_VERSIONS:
        return 0
    return 1 if _flexible(api_key, version) else 0


def _flexible(api_key: int, version: int) -> bool:
    flexible_from = api(api_key).flexible_from
    return flexible_from is not None and version >= flexible_from
