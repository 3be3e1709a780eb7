"""Write the encoder of one version group: straight-line code from a message to its bytes."""

from __future__ import annotations

from klamm.tools.codegen.defaults import differs, emit_refusals
from klamm.tools.codegen.emit_rows import emit_packing
from klamm.tools.codegen.function import Function, Used
from klamm.tools.codegen.layout import Slot, StructLayout
from klamm.tools.codegen.rows import has_arrays, is_row
from klamm.tools.codegen.spec import Array, Fixed, Sized, Struct, Uuid
from klamm.tools.codegen.writer import Writer


def emit_encoder(name: str, layout: StructLayout, used: Used, writer: Writer) -> None:
    """Write ``def name(message) -> bytes``."""
    function = Function(used, writer, {"message", "add", "chunks"})
    encoder = _Encoder(function)
    with writer.block(f"def {name}(message: {layout.name}) -> bytes:"):
        if layout.slots or layout.flexible:
            writer.lines("chunks: list[bytes] = []", "add = chunks.append")
        encoder.struct("message", layout, "add")
        writer.line('return b"".join(chunks)' if layout.slots or layout.flexible else 'return b""')


class _Encoder:
    """Walks a layout; fixed-width values wait in `_codes` until a whole group is packed at once."""

    def __init__(self, function: Function) -> None:
        self._function = function
        self._used = function.used
        self._writer = function.writer
        self._codes: list[str] = []
        self._values: list[str] = []

    def struct(self, value: str, layout: StructLayout, add: str) -> None:
        """Write the encoding of the struct in the local `value`."""
        emit_refusals(self._function, value, layout)
        for slot in layout.slots:
            self._slot(f"{value}.{slot.field.attribute}", slot, add)
        if layout.flexible:
            self._tags(value, layout, add)
        self._flush(add)

    def _slot(self, value: str, slot: Slot, add: str) -> None:
        type_ = slot.field.type
        if isinstance(type_, Fixed):
            self._wait(type_.code, value)
        elif isinstance(type_, Uuid):
            self._wait("16s", f"{value}.bytes")
        elif type_ == Sized("string"):
            self._flush(add)
            self._writer.line(f"{add}({self._used.primitive(_form(slot, 'string'))}({value}))")
        elif isinstance(type_, Struct):
            self._nested(value, slot, add)
        else:
            self._counted(value, slot, add)

    def _wait(self, code: str, value: str) -> None:
        self._codes.append(code)
        self._values.append(value)

    def _flush(self, add: str) -> None:
        if self._codes:
            self._writer.listing([f"{add}(", f"{self._used.pack(self._codes)}("], self._values)
        self._codes, self._values = [], []

    def _nested(self, value: str, slot: Slot, add: str) -> None:
        if not slot.nullable:
            self.struct(value, slot.element, add)
            return
        self._flush(add)
        with self._writer.block(f"if {value} is None:"):
            self._writer.line(f'{add}(b"\\xff")')
        with self._writer.block("else:"):
            self._writer.line(f'{add}(b"\\x01")')
            self.struct(value, slot.element, add)

    def _counted(self, value: str, slot: Slot, add: str) -> None:
        """Write a length and what it counts: bytes, or the elements of an array."""
        if not slot.compact and not slot.nullable:
            self._wait("i", f"len({value})")
            self._flush(add)
        else:
            self._flush(add)
            self._writer.line(f"{add}({self._used.primitive(_form(slot, 'length'))}({value}))")
        if not slot.nullable:
            self._items(value, slot, add)
            return
        with self._writer.block(f"if {value} is not None:"):
            self._items(value, slot, add)

    def _items(self, value: str, slot: Slot, add: str) -> None:
        type_ = slot.field.type
        element = type_.element if isinstance(type_, Array) else None
        if element is None:
            self._writer.line(f"{add}({value})")
        elif isinstance(element, Fixed):
            numbers = self._used.primitive("numbers")
            self._writer.line(f'{add}({numbers}({value}, "{element.code}"))')
        elif isinstance(element, Struct):
            item = self._function.element(slot.field.attribute)
            if is_row(slot.element) and has_arrays(slot.element):
                emit_packing(self._function, item, value, slot.element, add)
                return
            with self._writer.block(f"for {item} in {value}:"):
                self.struct(item, slot.element, add)
        elif element == Sized("string"):
            strings = self._used.primitive("strings")
            string = self._used.primitive("compact_string" if slot.compact else "string")
            self._writer.line(f"{add}({strings}({value}, {string}))")
        else:
            raise AssertionError(f"arrays of {element.name} have no encoding yet")

    def _tags(self, value: str, layout: StructLayout, add: str) -> None:
        unknown = f"{value}.unknown_tagged_fields"
        self._flush(add)
        if not layout.tagged:
            self._writer.line(f"{add}({self._used.primitive('unknown_tags')}({unknown}))")
            return
        tags = self._used.primitive("tags")
        tagged = self._function.local("tagged")
        self._writer.line(f"{tagged}: list[tuple[int, bytes]] = []")
        for slot in layout.tagged:
            field = f"{value}.{slot.field.attribute}"
            with self._writer.block(f"if {differs(slot.field, field)}:"):
                parts = self._function.local("parts")
                part = f"{parts}.append"
                self._writer.line(f"{parts}: list[bytes] = []")
                self._slot(field, slot, part)
                self._flush(part)
                self._writer.line(f'{tagged}.append(({slot.field.tag}, b"".join({parts})))')
        self._writer.line(f"{add}({tags}({tagged}, {unknown}))")


def _form(slot: Slot, noun: str) -> str:
    """Give the name of the primitive for a string or length in this form."""
    return f"{'compact_' if slot.compact else ''}{'nullable_' if slot.nullable else ''}{noun}"
