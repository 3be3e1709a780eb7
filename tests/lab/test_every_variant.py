"""What holds of every bug that can be put back in, wherever it shows."""

import pytest

from klamm.tools.lab import registry
from klamm.tools.lab.choices import Enumerator
from klamm.tools.lab.clients import move
from klamm.tools.lab.run import Opening, rest
from klamm.tools.lab.studies import SCRIPTED

IDS = registry.variant_ids()

#: Every move shows it, whatever else happens.
SHOWN_BY_ANY_MOVE = {"F10"}


@pytest.mark.parametrize("id_", sorted({*IDS} - SHOWN_BY_ANY_MOVE))
def test_a_variant_is_like_klamm_where_nothing_fails(id_: str) -> None:
    world = Opening(SCRIPTED, registry.variant(id_)).world(Enumerator())
    asked = world.ask("n1", move("t", 0, 2, 3))
    world.settle()
    assert asked.responses, "the client was answered"
    assert rest(world) is None
    assert world.violation is None


@pytest.mark.parametrize("id_", IDS)
def test_a_variant_has_a_story_and_says_where_it_comes_from(id_: str) -> None:
    variant = registry.variant(id_)
    assert 3 <= variant.story.count(". ") + 1 <= 6, variant.story
    assert variant.story.endswith(".")
    assert variant.reference
