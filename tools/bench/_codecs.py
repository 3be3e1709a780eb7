"""The codecs that are compared, each by the fastest way that it offers.

Everybody encodes an object that is there already, and decodes bytes to objects. To be sure that
all have the same values, the objects of the peers are decoded from klamm's bytes, and what they
encode must be those bytes again.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from kio.index import load_payload_module
from kio.serial import entity_reader, entity_writer
from kio.static.constants import EntityType

from klamm.protocol.codec import decode, encode
from klamm.protocol.message import Message
from klamm.tools.bench._java_oracle import JavaOracle
from klamm.tools.bench._rounds import Timed, timed
from klamm.tools.codegen import interpret
from klamm.tools.codegen.source import read_schemas

ROOT = Path(__file__).resolve().parents[2]


class Contender(NamedTuple):
    """A codec at one message: what to time."""

    encode: Timed
    decode: Timed


class Task(NamedTuple):
    """A message, its version, and its bytes."""

    message: Message
    version: int
    data: bytes

    @property
    def name(self) -> str:
        """The name of the message in its schema."""
        return type(self.message).__name__


def task(message: Message, version: int) -> Task:
    """Prepare a message."""
    return Task(message, version, encode(message, version))


def klamm(job: Task) -> Contender:
    """The generated codec."""
    message, version, data = job
    cls = type(message)
    return _checked(
        "klamm", job, lambda: encode(message, version), lambda: decode(cls, data, version)
    )


def kafka_python(job: Task) -> Contender:
    """Its `encode` and `decode`, which compile a function per struct and version and keep it."""
    cls = next(
        getattr(module, job.name)
        for module in map(import_module, ("kafka.protocol.admin", "kafka.protocol.metadata"))
        if hasattr(module, job.name)
    )
    _, version, data = job
    value = cls.decode(data, version=version)
    value._header = None  # its decoder leaves the slot empty, which its encoder then asks for
    return _checked(
        "kafka-python",
        job,
        lambda: bytes(value.encode(version=version)),
        lambda: cls.decode(data, version=version),
    )


def kio(job: Task) -> Contender:
    """Its reader in Rust, which `kio.serial.entity_reader` is, and its writer, which is Python."""
    _, version, data = job
    key = job.message.api_key
    if job.message.kind == "request":
        module = load_payload_module(key, version, EntityType.request)
    else:
        module = load_payload_module(key, version, EntityType.response)
    cls = getattr(module, job.name)
    read, write = entity_reader(cls), entity_writer(cls)
    value, _ = read(data, 0)

    def written() -> bytes:
        buffer = io.BytesIO()
        write(buffer, value)
        return buffer.getvalue()

    return _checked("kio", job, written, lambda: read(data, 0))


def interpreter(job: Task) -> Contender:
    """The slow second codec, straight from the schema."""
    message, version, data = job
    spec = read_schemas(ROOT)[job.name]
    module = import_module(type(message).__module__)

    def make(struct: str, fields: dict[str, object]) -> object:
        return getattr(module, struct)(**fields)

    return _checked(
        "interpreter",
        job,
        lambda: interpret.encode(spec, version, message, make),
        lambda: interpret.decode(spec, version, data, make),
    )


def java(job: Task, oracle: JavaOracle, warm_up: int) -> Contender:
    """Kafka's own classes, timed inside Java once the compiler has seen them `warm_up` times."""
    _, version, data = job
    if oracle.decode(job.name, version, data)[1] != data:
        raise AssertionError(f"Java: {job.name} v{version} has other bytes")
    oracle.time(job.name, version, data, warm_up)
    return Contender(
        lambda times: oracle.time(job.name, version, data, times)[1] * times,
        lambda times: oracle.time(job.name, version, data, times)[0] * times,
    )


def _checked(
    who: str, job: Task, encoded: Callable[[], bytes], decoded: Callable[[], object]
) -> Contender:
    if encoded() != job.data:
        raise AssertionError(f"{who}: {job.name} v{job.version} has other bytes")
    return Contender(timed(encoded), timed(decoded))
