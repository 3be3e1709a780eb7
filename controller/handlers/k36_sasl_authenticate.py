"""SaslAuthenticate (key 36) on a connection that needs no login, or has one.

Behaviour
    * ILLEGAL_SASL_STATE with Kafka's text. Where a login is due the tokens never come here:
      `klamm.controller.security.authenticator` has them.
    Source: Kafka 3.9, KafkaApis.handleSaslAuthenticateRequest.

Versions 0-2
    1     how long the login lasts: 0, for ever
    2     flexible

Left out: a new login on the same connection (KIP-368).
"""

from klamm.controller.handlers.api import Answer, Context, Outcome
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.sasl_authenticate_request import SaslAuthenticateRequest
from klamm.protocol.generated.sasl_authenticate_response import SaslAuthenticateResponse

API_KEY = 36
VERSIONS = range(3)


def handle(context: Context, request: SaslAuthenticateRequest, version: int) -> Outcome:
    """Refuse."""
    text = "SaslAuthenticate request received after successful authentication"
    return Answer(SaslAuthenticateResponse(ErrorCode.ILLEGAL_SASL_STATE, text))
