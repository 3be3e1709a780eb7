"""SaslHandshake (key 17) on a connection that needs no login, or has one.

Behaviour
    * ILLEGAL_SASL_STATE, and no mechanisms. Where a login is due the handshake never comes here:
      `klamm.controller.security.authenticator` has it.
    Source: Kafka 3.9, KafkaApis.handleSaslHandshakeRequest.

Versions 0-1, which differ in how tokens follow.

Left out: a new login on the same connection (KIP-368).
"""

from klamm.controller.handlers.api import Answer, Context, Outcome
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.sasl_handshake_request import SaslHandshakeRequest
from klamm.protocol.generated.sasl_handshake_response import SaslHandshakeResponse

API_KEY = 17
VERSIONS = range(2)


def handle(context: Context, request: SaslHandshakeRequest, version: int) -> Outcome:
    """Refuse."""
    return Answer(SaslHandshakeResponse(ErrorCode.ILLEGAL_SASL_STATE))
