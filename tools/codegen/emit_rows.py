"""Write the loops over rows: structs of numbers and arrays of numbers (`klamm.protocol.rows`)."""

from __future__ import annotations

from dataclasses import dataclass, field

from klamm.tools.codegen.defaults import emit_refusals, literal
from klamm.tools.codegen.function import Function, width_of
from klamm.tools.codegen.layout import StructLayout
from klamm.tools.codegen.rows import Numbers, numbers_in
from klamm.tools.codegen.spec import Fixed

# -- encoding --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Shaped:
    """An array of a row that is packed, and the locals that tell its shape.

    `present` is the expression for its length in this row, -1 for null; `count` is what the packer
    is made for, and `prefix` what it writes in front of the items.
    """

    numbers: Numbers
    items: str
    present: str
    count: str
    prefix: str

    @property
    def nullable(self) -> bool:
        """Tell whether this version allows null."""
        return self.numbers.slot.nullable


@dataclass(slots=True)
class _Packing:
    """The format of a row and the values for it, both as text."""

    form: list[str] = field(default_factory=lambda: [">"])
    values: list[str] = field(default_factory=list)
    arrays: list[_Shaped] = field(default_factory=list)


def emit_packing(function: Function, item: str, items: str, layout: StructLayout, add: str) -> None:
    """Write the loop that packs each row of `items` with one call.

    The packer belongs to the lengths of the arrays and is made anew when one of them changes.
    """
    writer = function.writer
    packing = _packing(function, item, layout)
    pack = function.local("pack")
    writer.line(f"{' = '.join(array.count for array in packing.arrays)} = -2")
    with writer.block(f"for {item} in {items}:"):
        emit_refusals(function, item, layout)
        for array in packing.arrays:
            writer.line(f"{array.items} = {item}.{array.numbers.slot.field.attribute}")
        _emit_reshaping(function, packing, pack)
        if not layout.flexible:
            writer.listing([f"{add}(", f"{pack}("], packing.values)
            return
        row = function.local("row")
        writer.listing([f"{row} = {pack}("], packing.values)
        with writer.block(f"if {item}.unknown_tagged_fields:"):
            tags = function.used.primitive("unknown_tags")
            writer.line(f"{row} = {row}[:-1] + {tags}({item}.unknown_tagged_fields)")
        writer.line(f"{add}({row})")


def _packing(function: Function, item: str, layout: StructLayout) -> _Packing:
    packing = _Packing()
    for slot in layout.slots:
        numbers = numbers_in(slot)
        name = slot.field.attribute
        if numbers is None:
            assert isinstance(slot.field.type, Fixed)
            packing.form.append(slot.field.type.code)
            packing.values.append(f"{item}.{name}")
            continue
        items, count = function.local(name), function.local("count")
        prefix = function.local("length") if slot.compact else count
        present = function.local("present") if slot.nullable else f"len({items})"
        packing.arrays.append(_Shaped(numbers, items, present, count, prefix))
        length = f"{{len({prefix})}}s" if slot.compact else "i"
        repeat = f"{{max({count}, 0)}}" if slot.nullable else f"{{{count}}}"
        packing.form.append(f"{length}{repeat}{numbers.element.code}")
        packing.values += [prefix, f"*({items} or ())" if slot.nullable else f"*{items}"]
    if layout.flexible:
        packing.form.append("B")
        packing.values.append("0")
    return packing


def _emit_reshaping(function: Function, packing: _Packing, pack: str) -> None:
    writer = function.writer
    for array in packing.arrays:
        if array.nullable:
            writer.line(f"{array.present} = -1 if {array.items} is None else len({array.items})")
    writer.condition("if", [f"{array.present} != {array.count}" for array in packing.arrays])
    with writer.indented():
        for array in packing.arrays:
            writer.line(f"{array.count} = {array.present}")
            if array.prefix != array.count:
                length = f"compact_{'nullable_' if array.nullable else ''}length"
                primitive = function.used.primitive(length)
                writer.line(f"{array.prefix} = {primitive}({array.items})")
        row_struct = function.used.row("row_struct")
        writer.formatted([f"{pack} = {row_struct}("], packing.form, [], ".pack")


# -- decoding --------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Unpacking:
    """The format of a row and the targets for its values, both as text."""

    form: list[str] = field(default_factory=lambda: [">"])
    targets: list[str] = field(default_factory=list)
    arrays: list[tuple[str, str, Numbers]] = field(default_factory=list)


def emit_unpacking(function: Function, item: str, items: str, layout: StructLayout) -> None:
    """Write the loop that reads `n` rows into the list `items`.

    It ends with a row of another shape, and at one with tagged fields, and then measures again.
    """
    writer = function.writer
    before = function.local("before")
    tagged = function.local("tagged") if layout.flexible else ""
    writer.line(f"{items}: list[{layout.name}] = []")
    with writer.block(f"while len({items}) < n:"):
        unpacking = _unpacking(function, item, layout)
        rows, width = function.local("rows"), function.local("width")
        read = function.used.row("read_rows")
        arguments = ["data", "offset", f"n - len({items})"]
        writer.formatted([f"{rows}, {width} = {read}("], unpacking.form, arguments, "")
        writer.line(f"{before} = len({items})")
        if unpacking.arrays:
            with writer.block("try:"):
                _emit_row_loop(function, (item, items, rows, tagged), layout, unpacking)
            with writer.block(f"except {function.used.row('Reshaped')}:"):
                writer.line(f"{tagged} = 0" if tagged else "pass")
        else:
            _emit_row_loop(function, (item, items, rows, tagged), layout, unpacking)
        writer.line(f"offset += (len({items}) - {before}) * {width}")
        if tagged:
            with writer.block(f"if {tagged}:"):
                read = function.used.primitive("read_unknown_tags")
                kept = f"{item}.unknown_tagged_fields"
                writer.listing([f"{kept}, offset = {read}("], ["data", f"offset + {width} - 1"])
                writer.line(f"{item}.__class__ = {layout.name}")
                writer.line(f"{items}.append({item})")


def _unpacking(function: Function, item: str, layout: StructLayout) -> _Unpacking:
    """Write the measuring of the arrays of one row, and give the shape that comes out."""
    unpacking = _Unpacking()
    codes: list[str] = []
    sizes: list[str] = []
    for slot in layout.slots:
        target = f"{item}.{slot.field.attribute}"
        numbers = numbers_in(slot)
        if numbers is None:
            assert isinstance(slot.field.type, Fixed)
            codes.append(slot.field.type.code)
            unpacking.form.append(slot.field.type.code)
            unpacking.targets.append(target)
            continue
        function.used.row("arrays")
        function.used.arrays[numbers.arrays] = numbers.arguments
        size = function.local("size")
        raw = function.local("raw")
        measure = function.used.row("compact_array_size" if slot.compact else "array_size")
        start = " + ".join(["offset", *([str(width_of(codes))] if codes else []), *sizes])
        arguments = ["data", start, str(numbers.element.width)]
        function.writer.listing([f"{size} = {measure}("], arguments)
        sizes.append(size)
        unpacking.form.append(f"{{{size}}}s")
        unpacking.targets.append(raw)
        unpacking.arrays.append((target, raw, numbers))
    if layout.flexible:
        unpacking.form.append("B")
    return unpacking


def _emit_row_loop(
    function: Function,
    names: tuple[str, str, str, str],
    layout: StructLayout,
    unpacking: _Unpacking,
) -> None:
    item, items, rows, tagged = names
    writer = function.writer
    row = function.local("row")
    targets = [*unpacking.targets, tagged] if tagged else unpacking.targets
    with writer.block(f"for {row} in {rows}:"):
        writer.line(f"{item} = _{layout.name}Draft()")
        writer.assignment(targets, row)
        for target, raw, numbers in unpacking.arrays:
            writer.line(f"{target} = {numbers.arrays}[{raw}]")
        for absent in layout.absent:
            writer.line(f"{item}.{absent.attribute} = {literal(absent)}")
        if layout.keeps_tags:
            writer.line(f"{item}.unknown_tagged_fields = ()")
        if tagged:
            with writer.block(f"if {tagged}:"):
                writer.line("break")
        writer.lines(f"{item}.__class__ = {layout.name}", f"{items}.append({item})")
