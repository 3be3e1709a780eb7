"""From Kafka's message schemas to the modules of `klamm.protocol.generated`.

The way of a schema: `parse` (JSON -> `spec`, refusing what it does not know), `evolve` (may this
schema follow that one?), `layout` (the spec as one version carries it), `emit` (text) and `check`
(text against the files). `interpret` encodes and decodes straight from the layout and is the
second opinion on every byte. Nothing here imports the generated code.
"""
