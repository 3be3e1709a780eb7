"""From Kafka's message schemas to the modules of `klamm.protocol.generated`.

The way of a schema: `source` (which files there are, and their checksums), `parse` (JSON -> `spec`,
refusing what it does not know), `evolve` (may this schema stand in for that one?), `layout` (the
spec as one version carries it), `emit` (text) and `check` (text against the files). `interpret`
encodes and decodes straight from the spec and is the second opinion on every byte. Nothing here
imports the generated code.

A new message: put its schema into schemas/kafka or schemas/klamm, state it in schemas/SOURCE.toml,
run ``python -m klamm.tools.codegen``, and the tests cover it in every version.
"""
