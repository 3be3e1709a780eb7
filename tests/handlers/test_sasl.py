"""SaslHandshake and SaslAuthenticate where no login is due."""

import pytest
from handlers.transacting import on_the_wire
from handlers.worlds import cluster, context

from klamm.controller.handlers import k17_sasl_handshake, k36_sasl_authenticate
from klamm.controller.handlers.api import Answer
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.sasl_authenticate_request import SaslAuthenticateRequest
from klamm.protocol.generated.sasl_authenticate_response import SaslAuthenticateResponse
from klamm.protocol.generated.sasl_handshake_request import SaslHandshakeRequest
from klamm.protocol.generated.sasl_handshake_response import SaslHandshakeResponse

CONTEXT = context(cluster())


@pytest.mark.parametrize("version", k17_sasl_handshake.VERSIONS)
@pytest.mark.parametrize("mechanism", ["PLAIN", "GSSAPI"])
def test_a_handshake_out_of_place(version: int, mechanism: str) -> None:
    outcome = k17_sasl_handshake.handle(CONTEXT, SaslHandshakeRequest(mechanism), version)
    assert isinstance(outcome, Answer)
    answer = on_the_wire(outcome.response, version)
    assert answer == SaslHandshakeResponse(ErrorCode.ILLEGAL_SASL_STATE, ())


@pytest.mark.parametrize("version", k36_sasl_authenticate.VERSIONS)
def test_a_token_out_of_place(version: int) -> None:
    outcome = k36_sasl_authenticate.handle(CONTEXT, SaslAuthenticateRequest(b"x"), version)
    assert isinstance(outcome, Answer)
    answer = on_the_wire(outcome.response, version)
    text = "SaslAuthenticate request received after successful authentication"
    assert answer == SaslAuthenticateResponse(ErrorCode.ILLEGAL_SASL_STATE, text)
