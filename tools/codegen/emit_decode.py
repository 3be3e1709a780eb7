"""Write the decoder of one version group: straight-line code from bytes to a message."""

from __future__ import annotations

from klamm.tools.codegen.defaults import literal
from klamm.tools.codegen.emit_rows import emit_unpacking
from klamm.tools.codegen.function import Function, Used, width_of
from klamm.tools.codegen.layout import Slot, StructLayout
from klamm.tools.codegen.rows import is_row
from klamm.tools.codegen.spec import Array, Fixed, Sized, Struct, Uuid
from klamm.tools.codegen.writer import Writer


def emit_decoder(name: str, layout: StructLayout, used: Used, writer: Writer) -> None:
    """Write ``def name(data, offset) -> (message, offset behind it)``."""
    function = Function(used, writer, {"data", "offset", "n", "draft", "message"})
    decoder = _Decoder(function)
    head = f"def {name}(data: bytes, offset: int) -> tuple[{layout.name}, int]:"
    with writer.block(head):
        decoder.struct("message", layout)
        writer.line("return message, offset")


class _Decoder:
    """Walks a layout; fixed-width values wait in `_codes` until a whole group is unpacked."""

    def __init__(self, function: Function) -> None:
        self._function = function
        self._used = function.used
        self._writer = function.writer
        self._codes: list[str] = []
        self._targets: list[str] = []
        self._uuids: list[tuple[str, str]] = []

    def struct(self, value: str, layout: StructLayout) -> None:
        """Write the decoding of a struct into the fresh local `value`."""
        self._writer.line(f"{value} = _{layout.name}Draft()")
        for field in layout.absent:
            self._writer.line(f"{value}.{field.attribute} = {literal(field)}")
        for slot in layout.slots:
            self._slot(f"{value}.{slot.field.attribute}", slot)
        self._flush()
        if layout.flexible:
            self._tags(value, layout)
        elif layout.keeps_tags:
            self._writer.line(f"{value}.unknown_tagged_fields = ()")
        self._writer.line(f"{value}.__class__ = {layout.name}")

    def _slot(self, target: str, slot: Slot) -> None:
        type_ = slot.field.type
        if isinstance(type_, Fixed):
            self._wait(type_.code, target)
        elif isinstance(type_, Uuid):
            raw = self._function.local("raw")
            self._wait("16s", raw)
            self._uuids.append((target, raw))
        elif isinstance(type_, Struct):
            self._nested(target, slot)
        elif type_ == Sized("string"):
            self._read(target, _form(slot, "string"))
        else:
            self._counted(target, slot)

    def _wait(self, code: str, target: str) -> None:
        self._codes.append(code)
        self._targets.append(target)

    def _flush(self) -> None:
        if not self._codes:
            return
        call = f"{self._used.unpack(self._codes)}(data, offset)"
        self._writer.assignment(self._targets, call)
        self._writer.line(f"offset += {width_of(self._codes)}")
        for target, raw in self._uuids:
            self._writer.line(f"{target} = UUID(bytes={raw})")
        self._codes, self._targets, self._uuids = [], [], []

    def _read(self, target: str, form: str, *arguments: str) -> None:
        self._flush()
        reader = self._used.primitive(f"read_{form}")
        self._writer.listing([f"{target}, offset = {reader}("], ["data", "offset", *arguments])

    def _nested(self, target: str, slot: Slot) -> None:
        item = self._function.local(slot.field.attribute)
        if not slot.nullable:
            self._flush()
            self.struct(item, slot.element)
            self._writer.line(f"{target} = {item}")
            return
        self._read("n", "presence")
        with self._writer.block("if n:"):
            self.struct(item, slot.element)
            self._writer.line(f"{target} = {item}")
        with self._writer.block("else:"):
            self._writer.line(f"{target} = None")

    def _counted(self, target: str, slot: Slot) -> None:
        """Write a length and what it counts: bytes, or the elements of an array."""
        least = _least(slot)
        self._read("n", _form(slot, "length"), *([str(least)] if least > 1 else []))
        if not slot.nullable:
            self._items(target, slot)
            return
        with self._writer.block("if n < 0:"):
            self._writer.line(f"{target} = None")
        with self._writer.block("else:"):
            self._items(target, slot)

    def _items(self, target: str, slot: Slot) -> None:
        type_ = slot.field.type
        element = type_.element if isinstance(type_, Array) else None
        if element is None:
            self._read(target, "slice", "n")
        elif isinstance(element, Fixed):
            self._read(target, "numbers", "n", f'"{element.code}"')
        else:
            self._loop(target, slot)

    def _loop(self, target: str, slot: Slot) -> None:
        items = self._function.local(slot.field.attribute)
        item = self._function.element(slot.field.attribute)
        if slot.struct is not None and is_row(slot.struct):
            emit_unpacking(self._function, item, items, slot.struct)
        else:
            self._writer.line(f"{items} = []")
            with self._writer.block("for _ in range(n):"):
                if slot.struct is not None:
                    self.struct(item, slot.struct)
                else:
                    self._read(item, "compact_string" if slot.compact else "string")
                self._writer.line(f"{items}.append({item})")
        self._writer.line(f"{target} = tuple({items})")

    def _tags(self, value: str, layout: StructLayout) -> None:
        kept = f"{value}.unknown_tagged_fields"
        if not layout.tagged:
            with self._writer.block("if data[offset]:"):
                self._read(kept, "unknown_tags")
            with self._writer.block("else:"):
                self._writer.lines("offset += 1", f"{kept} = ()")
            return
        for slot in layout.tagged:
            self._writer.line(f"{value}.{slot.field.attribute} = {literal(slot.field)}")
        unknown = self._function.local("unknown")
        behind = self._function.local("behind")
        found, start, end = (self._function.local(name) for name in ("found", "start", "end"))
        tag = self._function.local("tag")
        reader = self._used.primitive("read_tags")
        self._writer.lines(f"{unknown} = []", f"{found}, {behind} = {reader}(data, offset)")
        with self._writer.block(f"for {tag}, {start}, {end} in {found}:"):
            self._writer.line(f"offset = {start}")
            for index, slot in enumerate(layout.tagged):
                with self._writer.block(f"{'el' if index else ''}if {tag} == {slot.field.tag}:"):
                    self._slot(f"{value}.{slot.field.attribute}", slot)
                    self._flush()
                    expect_end = self._used.primitive("expect_end")
                    self._writer.line(f"{expect_end}({tag}, offset, {end})")
            with self._writer.block("else:"):
                self._writer.line(f"{unknown}.append(({tag}, data[{start}:{end}]))")
        self._writer.lines(f"{kept} = tuple({unknown})", f"offset = {behind}")


def _least(slot: Slot) -> int:
    """Give the fewest bytes of one counted item."""
    type_ = slot.field.type
    if not isinstance(type_, Array):
        return 1
    if slot.struct is not None:
        return slot.struct.least
    if isinstance(type_.element, Fixed):
        return type_.element.width
    return 1 if slot.compact else 2


def _form(slot: Slot, noun: str) -> str:
    """Give the name of the primitive for a string or length in this form."""
    return f"{'compact_' if slot.compact else ''}{'nullable_' if slot.nullable else ''}{noun}"
