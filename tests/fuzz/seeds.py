"""The inputs that fuzzing starts from, made of real messages.

``PYTHONPATH=tests python -P -m fuzz.seeds`` writes them into the corpus. Files there that it does
not write were found by fuzzing and are kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import Any
from uuid import UUID

from fuzz.fuzz_connection import ASKED, client_input, server_input

from klamm.protocol import codec, headers, registry
from klamm.protocol.connection import ClientConnection, Request, ServerConnection
from klamm.protocol.framing import LENGTH_BYTES
from klamm.protocol.generated.request_header import RequestHeader
from klamm.protocol.message import FieldFact, Message
from klamm.protocol.registry import API_KEYS, api

CORPUS = Path(__file__).parent / "corpus"

SCALARS: Mapping[str, Any] = {
    "bool": True,
    "bytes": b"\0bytes",
    "records": b"records",
    "uuid": UUID("00112233-4455-6677-8899-aabbccddeeff"),
}


def sample(cls: type[Message], version: int) -> Message:
    """Make a message with something in every field that this version has."""
    numbers = count(1)
    structs = {struct.__name__: struct for struct in cls.codec.fields}

    def value(type_: str) -> Any:  # noqa: ANN401
        if type_.startswith("[]"):
            return tuple(value(type_[2:]) for _ in range(2))
        if type_ in structs:
            return make(structs[type_])
        if type_ == "string":
            return f"s{next(numbers)}"
        return SCALARS[type_] if type_ in SCALARS else next(numbers) % 100

    def make(struct: type) -> Any:  # noqa: ANN401
        facts: tuple[FieldFact, ...] = cls.codec.fields[struct]
        return struct(**{f.name: value(f.type) for f in facts if version in f.versions})

    message: Message = make(cls)
    return message


def request_stream(key: int, version: int) -> bytes:
    """Give one request as a client sends it."""
    client = ClientConnection("fuzz")
    return client.send_request(sample(registry.request(key), version), version)[1]


def response_stream(key: int, version: int) -> bytes:
    """Give the answers that a server sends to a client that asked several times."""
    client, server = ClientConnection("fuzz"), ServerConnection({key: api(key).versions})
    stream = b""
    for _ in range(ASKED):
        ask, answer = sample(registry.request(key), version), registry.response(key)
        (request,) = server.receive_data(client.send_request(ask, version)[1])
        assert isinstance(request, Request)
        stream += server.send_response(request, sample(answer, version))
    return stream


def seeds() -> Iterator[tuple[str, bytes]]:
    """Give names and inputs: every API in every version, both sides, then dialogues and faults."""
    for key, name in API_KEYS.items():
        for version in api(key).versions:
            label = f"{key:03}-{name}-v{version}"
            yield f"server-{label}", server_input(request_stream(key, version), pieces=version)
            yield f"client-{label}", client_input(key, version, response_stream(key, version))
    yield from _dialogues()
    yield from _faults()


def _dialogues() -> Iterator[tuple[str, bytes]]:
    """Give what clients were seen to send on one connection, in their versions, at once."""
    for name, asked in {
        "java-3.9": ((18, 4), (3, 12), (60, 1), (46, 0), (44, 1), (45, 0)),
        "kafkajs": ((18, 2), (3, 6), (45, 0), (46, 0)),
        "sasl": ((18, 0), (17, 1), (36, 2), (18, 4)),
        "broker": ((7, 0), (7, 3), (56, 2), (67, 0)),
        "controller": ((6, 5), (4, 3), (6, 5), (5, 1)),
    }.items():
        stream = b"".join(request_stream(*versioned) for versioned in asked)
        yield f"server-dialogue-{name}", server_input(stream, pieces=100)


def _faults() -> Iterator[tuple[str, bytes]]:
    """Give what must be refused, behind a request that is not."""
    good = request_stream(46, 0)
    for name, fault in {
        "length-negative": b"\xff\xff\xff\xff",
        "length-huge": b"\x7f\xff\xff\xff",
        "http": b"GET / HTTP/1.1\r\n\r\n",
        "tls": bytes.fromhex("16030100c8010000c40303"),
        "cut": good[:-3],
        "key-unknown": _framed(_header(9999, 0)),
        "version-unknown": _framed(_header(45, 99) + b"\0"),
        "api-versions-unknown": _framed(_header(headers.API_VERSIONS, 99) + b"\0rest"),
        "bytes-behind-the-end": _framed(good[LENGTH_BYTES:] + b"\0"),
        "null-topics": _framed(_header(45, 0) + bytes.fromhex("00 00007530 00 00")),
        "header-tags": _framed(_header(46, 0) + bytes.fromhex("02 05 01aa 07 00 00007530 00 00")),
    }.items():
        yield f"server-fault-{name}", server_input(good + fault + good, pieces=7)
    refusal = _framed(bytes.fromhex("00000000 0023 00000001 0012 0000 0002"))
    yield "client-api-versions-refused", client_input(headers.API_VERSIONS, 4, refusal)
    nothing = _framed(bytes.fromhex("00000001 00 00000000 0000 00 01 00"))
    yield "client-fault-out-of-turn", client_input(46, 0, nothing)


def _header(key: int, version: int) -> bytes:
    return codec.encode(RequestHeader(key, version, 1, "fuzz"), 1)


def _framed(body: bytes) -> bytes:
    return len(body).to_bytes(LENGTH_BYTES) + body


def main() -> None:
    """Write all seeds into the corpus."""
    CORPUS.mkdir(exist_ok=True)
    for name, data in seeds():
        (CORPUS / name).write_bytes(data)


if __name__ == "__main__":
    main()
