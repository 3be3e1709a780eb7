"""Keys, names, versions and header versions, without importing what nobody asks for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from message_strategies import SPECS

from klamm.protocol import generated, headers, registry
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.errors import UnknownApiKeyError

SCHEMAS = Path(__file__).resolve().parents[2] / "schemas"


def test_every_key_gives_its_classes() -> None:
    keys = {spec.api_key for spec in SPECS.values() if spec.api_key is not None}
    assert set(registry.API_KEYS) == keys
    for key, name in registry.API_KEYS.items():
        request, response, api = registry.request(key), registry.response(key), registry.api(key)
        assert (request.__name__, response.__name__) == (f"{name}Request", f"{name}Response")
        assert (request.kind, response.kind) == ("request", "response")
        for cls in (request, response):
            assert (cls.api_key, cls.versions) == (key, api.versions)
            assert cls.flexible_from == api.flexible_from


def test_stock_versions_are_those_of_kafka() -> None:
    assert registry.api(45).stock == range(1)
    assert registry.api(45).versions == range(2)
    assert registry.api(3).stock == range(13)
    assert registry.api(17900).stock is None


@pytest.mark.parametrize("look_up", [registry.api, registry.request, registry.response])
def test_an_unknown_key_is_named(look_up: object) -> None:
    assert callable(look_up)
    with pytest.raises(KeyError) as refused:
        look_up(99)
    assert isinstance(refused.value, UnknownApiKeyError)
    assert str(refused.value).startswith("no message has API key 99;")
    with pytest.raises(UnknownApiKeyError):
        headers.request_header_version(99, 0)


def test_modules_are_imported_when_asked_for() -> None:
    code = (
        "import sys\n"
        "from klamm.protocol import codec, headers, registry\n"
        "loaded = [name for name in sys.modules if name.startswith('klamm.protocol.generated.')]\n"
        "assert loaded == [], loaded\n"
        "registry.request(45)\n"
        "loaded = [name for name in sys.modules if name.startswith('klamm.protocol.generated.')]\n"
        "assert len(loaded) == 1, loaded\n"
    )
    subprocess.run([sys.executable, "-P", "-c", code], check=True)


def test_a_name_that_no_message_has() -> None:
    with pytest.raises(AttributeError, match="no message Nothing"):
        generated.Nothing  # noqa: B018 - the access is what is tried


@pytest.mark.parametrize(
    ("key", "version", "request_header", "response_header"),
    [
        (45, 0, 2, 1),  # flexible from the start
        (3, 8, 1, 0),
        (3, 9, 2, 1),
        (17, 1, 1, 0),  # never flexible
        (18, 2, 1, 0),
        (18, 3, 2, 0),  # ApiVersions answers without tags, always
        (18, 4, 2, 0),
        (7, 0, 0, 0),  # no client id
        (7, 1, 1, 0),
        (7, 3, 2, 1),
        (4, 3, 1, 0),
        (4, 4, 2, 1),
        (17900, 0, 2, 1),
    ],
)
def test_header_versions(key: int, version: int, request_header: int, response_header: int) -> None:
    assert headers.request_header_version(key, version) == request_header
    assert headers.response_header_version(key, version) == response_header


def test_error_codes_are_those_of_kafka() -> None:
    _, *rows = (SCHEMAS / "kafka" / "error-codes.tsv").read_text("utf-8").splitlines()
    stated = {name: int(code) for code, name in (row.split("\t") for row in rows)}
    assert {code.name: code.value for code in ErrorCode} == stated
