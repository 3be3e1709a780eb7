"""The matrix of variants: what it shows, and that it tells what it does not find."""

import pytest
from click.testing import CliRunner, Result

from klamm.tools.cli.lab import command
from klamm.tools.lab import registry
from klamm.tools.lab.matrix import Cell, Row, footer, grid, line, look, places, row
from klamm.tools.lab.studies import ALL_SCOPES
from klamm.tools.lab.variant import OWN_SCRIPT
from klamm.tools.lab.variants import NOT_EXPRESSED, module_of, variant_ids


def rows_of(letter: str, *numbers: int) -> set[str]:
    return {f"F{number:02}" if letter == "F" else f"{letter}{number}" for number in numbers}


#: Rows of the catalogue that a controller, or a broker, can have.
CATALOGUE = (
    rows_of("D", 1, 2)
    | rows_of("F", *range(1, 21), 25, 26, 27, 30, 31, 33, 34, 35, 36, 38, 39, 40)
    | rows_of("F", *range(41, 46), 50, 51, 52, 54)
    | rows_of("H", *range(1, 11))
    | rows_of("N", *range(1, 12), *range(13, 16))
    | rows_of("S", 1, 2)  # mistakes of moves in steps
    | rows_of("D", 1, 2)  # where Kafka departs from the proposal, as exhibits need it
)


def matrix(*arguments: str) -> Result:
    return CliRunner().invoke(command, ["matrix", *arguments])


def test_every_variant_is_a_row_of_the_catalogue_in_a_module_of_its_own() -> None:
    assert {*variant_ids(), *NOT_EXPRESSED} == CATALOGUE
    assert not NOT_EXPRESSED.keys() & {*variant_ids()}
    assert module_of("F02").endswith(".f02")
    assert module_of("H1").endswith(".h01")
    assert module_of("N15").endswith(".n15")


@pytest.mark.parametrize("id_", variant_ids())
def test_a_variant_names_a_place_that_there_is(id_: str) -> None:
    variant = registry.variant(id_.lower())
    assert variant.id == id_
    assert variant.exposed_by in {*ALL_SCOPES, *registry.exhibit_ids(), OWN_SCRIPT}


def test_a_variant_that_is_not_found_says_so() -> None:
    found = row("F33", seeds=1)
    assert str(found.variant) == "green in 1 run"
    assert not found.proven
    assert line(found).endswith("<-- NOT FOUND")
    assert "0 of 1 variants" in footer([found])
    assert matrix("F33", "--seeds", "1").exit_code == 1


def test_a_fault_of_klamm_where_a_variant_is_found_says_so() -> None:
    found = Row(Cell("F33", "deposed", 3, "I1", "a"), Cell("", "deposed", 2, "I9", "n1 errs"))
    assert not found.proven
    assert line(found).endswith("red I9 after 2 runs  <-- NOT GREEN: n1 errs")


def test_an_exhibit_can_be_looked_at_with_any_variant() -> None:
    assert "E8" in places()
    assert look("F33", "E8").invariant == "I1"
    assert not look("", "E8").red
    assert not look("F25", "E8").red


def test_the_grid_has_klamm_first() -> None:
    header, product, variant = grid(["F38"], ["sessions", "E8"], seeds=3)
    assert header.split() == ["sessions", "E8"]
    assert product.split() == ["klamm", ".", "."]
    assert variant.split() == ["F38", "liveness/1", "."]


def test_the_command_shows_variants_and_what_is_not_expressed() -> None:
    result = matrix("f38", "H5")
    assert result.exit_code == 0, result.output
    assert "F38     sessions      red liveness after 1 run" in result.output
    assert "2 of 2 variants are red where they must be, klamm is green." in result.output
    assert "H10: Kept" in result.output
    assert matrix("F38", "--where", "E8").output.splitlines()[-1].split() == ["F38", "."]


def test_an_unknown_variant_is_refused_with_those_that_there_are() -> None:
    result = matrix("F99")
    assert result.exit_code == 2
    assert "there is no variant 'F99'; there are: " in result.output
