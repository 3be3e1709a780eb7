"""The schema files as schemas/SOURCE.toml states them: where each comes from, and its checksum."""

from __future__ import annotations

import dataclasses
import hashlib
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from klamm.tools.codegen.evolve import check_extension
from klamm.tools.codegen.node import SchemaError
from klamm.tools.codegen.parse import parse_file
from klamm.tools.codegen.spec import MessageSpec


def read_schemas(root: Path) -> dict[str, MessageSpec]:
    """Read all schemas under `root`/schemas; one in klamm/ takes the place of Kafka's.

    Raises `SchemaError` for a schema that is unlawful, not as SOURCE.toml states it, or does not
    extend the one that it replaces, and for requests and responses that do not pair up.
    """
    facts = tomllib.loads((root / "schemas" / "SOURCE.toml").read_text("utf-8"))
    specs: dict[str, MessageSpec] = {}
    for spec in _folder(root, "kafka", facts):
        specs[spec.name] = dataclasses.replace(spec, stock=spec.versions)
    for spec in _folder(root, "klamm", facts):
        if _stem(spec) not in facts["klamm"]["origin"]:
            raise SchemaError(f"{spec.source}: schemas/SOURCE.toml must state the origin of it")
        base = specs.get(spec.name)
        if base is not None:
            check_extension(base, spec)
            spec = dataclasses.replace(spec, stock=base.versions)
        specs[spec.name] = spec
    _check_pairs(specs)
    return specs


def _folder(root: Path, name: str, facts: Mapping[str, Any]) -> list[MessageSpec]:
    """Read one folder of schemas, which must hold exactly the files that SOURCE.toml lists."""
    listed: Mapping[str, str] = facts[name]["sha256"]
    paths = {path.name: path for path in (root / "schemas" / name).iterdir()}
    for file in sorted(listed.keys() ^ paths.keys()):
        where = (
            "listed in schemas/SOURCE.toml but missing" if file in listed else "not listed there"
        )
        raise SchemaError(f"schemas/{name}/{file}: {where}")
    for file, path in sorted(paths.items()):
        if hashlib.sha256(path.read_bytes()).hexdigest() != listed[file]:
            raise SchemaError(
                f"schemas/{name}/{file}: not the file that schemas/SOURCE.toml states"
            )
    return [parse_file(path, root) for _, path in sorted(paths.items()) if path.suffix == ".json"]


def _stem(spec: MessageSpec) -> str:
    """Give the name that a request and its response share."""
    return spec.name.removesuffix("Request").removesuffix("Response")


def _check_pairs(specs: Mapping[str, MessageSpec]) -> None:
    names: dict[tuple[int, str], str] = {}
    for spec in specs.values():
        if spec.api_key is None:
            continue
        taken = names.setdefault((spec.api_key, spec.kind), spec.name)
        if taken != spec.name:
            raise SchemaError(f"{spec.source}: API key {spec.api_key} belongs to {taken} already")
        if spec.kind == "request":
            _check_pair(spec, specs.get(f"{_stem(spec)}Response"))
        elif f"{_stem(spec)}Request" not in specs:
            raise SchemaError(f"{spec.source}: there is no request to this response")


def _check_pair(request: MessageSpec, response: MessageSpec | None) -> None:
    if response is None:
        raise SchemaError(f"{request.source}: there is no response to this request")
    for what in ("api_key", "versions", "flexible", "stock"):
        asked, answered = getattr(request, what), getattr(response, what)
        if asked != answered:
            raise SchemaError(
                f"{response.source}: {what} must be {asked}, as in the request, not {answered}"
            )
