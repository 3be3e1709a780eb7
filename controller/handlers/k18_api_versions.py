"""ApiVersions (key 18).

Behaviour
    * The table of every key that this node serves, each with Kafka 3.9's range.
    * An unknown version is answered in the layout of version 0 with UNSUPPORTED_VERSION and one
      entry, key 18 with our range: clients try again with that maximum (KIP-511).
    * The client's software name and version are not checked; Kafka answers INVALID_REQUEST to
      names outside its pattern, and no client needs that.

Versions 0-4; the response header is always version 0.

Left out: supported and finalized features (ZooKeeper mode below IBP 2.7 has none).
"""

from collections.abc import Mapping

from klamm.controller.handlers.api import Answer, Context, Outcome
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.api_versions_request import ApiVersionsRequest
from klamm.protocol.generated.api_versions_response import ApiVersion, ApiVersionsResponse

API_KEY = 18
VERSIONS = range(5)


def handle(context: Context, request: ApiVersionsRequest, version: int) -> Outcome:
    """Show the whole table."""
    return Answer(ApiVersionsResponse(api_keys=_entries(context.advertised)))


def unsupported_version(advertised: Mapping[int, range]) -> ApiVersionsResponse:
    """Answer a request of an unknown version; to be encoded as version 0."""
    own = {API_KEY: advertised[API_KEY]}
    return ApiVersionsResponse(ErrorCode.UNSUPPORTED_VERSION, _entries(own))


def _entries(table: Mapping[int, range]) -> tuple[ApiVersion, ...]:
    return tuple(ApiVersion(key, table[key].start, table[key].stop - 1) for key in sorted(table))
