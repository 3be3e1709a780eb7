"""What the encoder and the decoder of one version group share while they are written."""

from __future__ import annotations

from dataclasses import dataclass, field

from klamm.tools.codegen.spec import FIXED
from klamm.tools.codegen.writer import Writer

_WIDTH_OF = {fixed.code: fixed.width for fixed in FIXED.values()} | {"16s": 16, "B": 1}
_WORD_OF = {fixed.code: fixed.name for fixed in FIXED.values()} | {"16s": "uuid", "B": "byte"}


def width_of(codes: list[str]) -> int:
    """Give the bytes that a list of struct letters takes."""
    return sum(_WIDTH_OF[code] for code in codes)


@dataclass(slots=True)
class Used:
    """What a module turned out to need: names to import, and struct formats to prepare."""

    primitives: set[str] = field(default_factory=set)
    rows: set[str] = field(default_factory=set)
    arrays: dict[str, str] = field(default_factory=dict)
    packs: dict[str, str] = field(default_factory=dict)
    unpacks: dict[str, str] = field(default_factory=dict)

    def primitive(self, name: str) -> str:
        """Import a name of `klamm.protocol.primitives`, and give it."""
        self.primitives.add(name)
        return name

    def row(self, name: str) -> str:
        """Import a name of `klamm.protocol.rows`, and give it."""
        self.rows.add(name)
        return name

    def pack(self, codes: list[str]) -> str:
        """Give the name of the prepared packer for these struct letters."""
        return self._prepared(self.packs, "_pack", codes)

    def unpack(self, codes: list[str]) -> str:
        """Give the name of the prepared unpacker for these struct letters."""
        return self._prepared(self.unpacks, "_unpack", codes)

    @staticmethod
    def _prepared(table: dict[str, str], verb: str, codes: list[str]) -> str:
        runs: list[tuple[str, int]] = []
        for code in codes:
            count = runs.pop()[1] if runs and runs[-1][0] == code else 0
            runs.append((code, count + 1))
        name = "_".join(f"{_WORD_OF[code]}{f'x{n}' if n > 1 else ''}" for code, n in runs)
        name = f"{verb}_{name}"
        table[name] = ">" + "".join(
            code * n if code == "16s" or n == 1 else f"{n}{code}" for code, n in runs
        )
        return name


@dataclass(slots=True)
class Function:
    """The text of one function and the locals that it has named."""

    used: Used
    writer: Writer
    taken: set[str]

    def local(self, base: str) -> str:
        """Give a fresh local name close to `base`."""
        name, count = base, 1
        while name in self.taken:
            count += 1
            name = f"{base}{count}"
        self.taken.add(name)
        return name

    def element(self, attribute: str) -> str:
        """Give a fresh local name for an element of the array in this attribute.

        >>> Function(Used(), Writer(), set()).element("partition_states")
        'partition_state'
        """
        if attribute.endswith("ies"):
            return self.local(f"{attribute[:-3]}y")
        return self.local(attribute.removesuffix("s"))
