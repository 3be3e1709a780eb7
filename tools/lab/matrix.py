"""The matrix: which variants turn red, where, by which invariant and after how many runs.

The proof that the lab can see: each bug of history, put back in, must be found; and the product
must be green in the very runs that found it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from textwrap import wrap

from klamm.tools.lab import registry
from klamm.tools.lab.exhibit import Case, perform
from klamm.tools.lab.run import Opening, run
from klamm.tools.lab.studies import ALL_SCOPES
from klamm.tools.lab.variant import OWN_SCRIPT, Variant
from klamm.tools.lab.variants import NOT_EXPRESSED, module_of

#: Seeds that a variant has to turn red, unless somebody says otherwise.
SEEDS = 300
_PRODUCT = "klamm"


@dataclass(frozen=True, slots=True)
class Cell:
    """What became of one variant, or of the product (""), in one place.

    `runs` are those that were done, the red one included; `invariant` is what was violated first,
    "" if nothing was, and `text` says how.
    """

    variant: str
    where: str
    runs: int
    invariant: str = ""
    text: str = ""

    @property
    def red(self) -> bool:
        """Tell whether anything was violated."""
        return bool(self.invariant)

    def __str__(self) -> str:
        runs = "1 run" if self.runs == 1 else f"{self.runs} runs"
        return f"red {self.invariant} after {runs}" if self.red else f"green in {runs}"


@dataclass(frozen=True, slots=True)
class Row:
    """A variant where it is to be seen, and the product in the same runs."""

    variant: Cell
    product: Cell

    @property
    def proven(self) -> bool:
        """Tell whether the variant is seen, and nothing else is."""
        return self.variant.red and not self.product.red


def places() -> tuple[str, ...]:
    """Return where variants can be looked for: exhibits, then scopes."""
    return (*registry.exhibit_ids(), *ALL_SCOPES)


def row(id_: str, seeds: int = SEEDS) -> Row:
    """Look for a variant where it says that it is seen; raises UnknownNameError."""
    where = registry.variant(id_).exposed_by
    found = look(id_, where, seeds)
    return Row(found, klamm_beside(id_, found))


def klamm_beside(id_: str, found: Cell) -> Cell:
    """Look at klamm in the very runs in which a variant was found."""
    if found.where == OWN_SCRIPT:
        return _cell("", found.where, _own_script(id_))
    return look("", found.where, found.runs)


def rows(ids: Sequence[str] = (), seeds: int = SEEDS) -> Iterator[Row]:
    """Look for these variants, or all, one after the other."""
    for id_ in ids or registry.variant_ids():
        yield row(id_, seeds)


def look(id_: str, where: str, seeds: int = SEEDS) -> Cell:
    """Look for a variant, or with "" for a fault of the product, in one place.

    A scope is tried seed after seed from 0 until one is red. Raises UnknownNameError.
    """
    if where == OWN_SCRIPT:
        return _cell(id_, where, _own_script(id_))
    if where in ALL_SCOPES:
        return _try_seeds(id_, where, seeds)
    return _cell(id_, where, registry.exhibit(where).cases[0])


def _own_script(id_: str) -> Case:
    case: Case = import_module(module_of(id_)).SCRIPT
    return case


def _cell(id_: str, where: str, case: Case) -> Cell:
    violation = perform(replace(case, variant=id_)).violation
    if violation is None:
        return Cell(id_, where, 1)
    return Cell(id_, where, 1, violation.invariant, violation.text)


def _try_seeds(id_: str, where: str, seeds: int) -> Cell:
    variant: Variant | None = registry.variant(id_) if id_ else None
    opening = Opening(ALL_SCOPES[where], variant)
    for seed in range(seeds):
        violation = run(opening, seed).violation
        if violation is not None:
            return Cell(id_, where, seed + 1, violation.invariant, violation.text)
    return Cell(id_, where, seeds)


# --- as text -------------------------------------------------------------------------------------

_COLUMNS = f"{'variant':<8}{'where':<14}{'with it':<32}{_PRODUCT}"


def heading() -> str:
    """Return the line above the rows."""
    return f"{_COLUMNS}\n{'-' * len(_COLUMNS)}"


def line(found: Row) -> str:
    """Return a row as a line; one that proves nothing says so."""
    cell = found.variant
    text = f"{cell.variant:<8}{cell.where:<14}{cell!s:<32}{found.product!s}"
    if not found.variant.red:
        return f"{text}  <-- NOT FOUND"
    return text if found.proven else f"{text}  <-- NOT GREEN: {found.product.text}"


def footer(found: Sequence[Row]) -> str:
    """Return what the rows come to, and which bugs are not among them, with the reason."""
    proven = sum(each.proven for each in found)
    lines = ["", f"{proven} of {len(found)} variants are red where they must be, klamm is green."]
    if NOT_EXPRESSED:
        lines.append("Not expressed:")
        for id_, why in NOT_EXPRESSED.items():
            lines += wrap(f"{id_}: {why}", 96, initial_indent="  ", subsequent_indent="    ")
    return "\n".join(lines)


def grid(ids: Sequence[str], where: Sequence[str], seeds: int) -> Iterator[str]:
    """Yield the lines of the whole table: variants by places, klamm first.

    A cell is the invariant and the number of runs, or a dot for green.
    """
    width = max(len(each) for each in (*where, "liveness/999")) + 1
    yield f"{'':<8}" + "".join(f"{each:<{width}}" for each in where)
    for id_ in ("", *ids):
        cells = (look(id_, each, seeds) for each in where)
        texts = (f"{cell.invariant}/{cell.runs}" if cell.red else "." for cell in cells)
        yield f"{id_ or _PRODUCT:<8}" + "".join(f"{text:<{width}}" for text in texts)
