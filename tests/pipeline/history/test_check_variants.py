"""Every bug of the lab is found in what its runs leave behind, and nothing in the product's."""

from __future__ import annotations

import pytest
from pipeline.checking import broken, histories, told
from slow import examples

from klamm.tools.lab import registry
from klamm.tools.lab.clients import cancel
from klamm.tools.lab.exhibit import Case, Stage
from klamm.tools.lab.history import of_case, of_seed
from klamm.tools.lab.studies import ALL_SCOPES, TWO_TOPICS
from klamm.tools.lab.variants._orders import order, order_held_up

#: Which rule, of those that are broken, is to be among them, by variant.
RULES = {
    "D1": "I9", "D2": "I11", "F01": "liveness", "F02": "I9", "F03": "I12", "F04": "liveness",
    "F05": "liveness", "F06": "I12", "F08": "I12", "F09": "I12", "F10": "I7", "F11": "fault",
    "F12": "I7", "F13": "I5", "F14": "F14", "F15": "I5", "F16": "I4", "F17": "F17", "F18": "I3",
    "F19": "I3", "F20": "I8", "F25": "I13", "F26": "F26", "F27": "F27", "F30": "I1", "F31": "I1",
    "F33": "I1", "F34": "fault", "F35": "I1", "F36": "liveness", "F38": "liveness",
    "F39": "liveness", "F40": "I4", "F41": "liveness", "F42": "liveness", "F43": "liveness",
    "F44": "F44", "F45": "I7", "F50": "liveness", "F51": "liveness", "F52": "I10", "F54": "I11",
    "H1": "I2", "H2": "I2", "H3": "I10", "H4": "I12", "H5": "I13", "H6": "I8", "H7": "I10",
    "H8": "I5", "H9": "I12", "N1": "liveness", "N2": "liveness", "N3": "liveness", "N4": "I2",
    "N5": "N5", "N6": "liveness", "N7": "N7", "N8": "N8", "N9": "I12", "N10": "N10", "N11": "I12",
    "N13": "liveness", "N14": "N5", "N15": "N15", "S1": "V2", "S2": "liveness",
}  # fmt: skip
_QUICK = ("F03", "F10", "F15", "F16", "H6", "H7", "N8")
#: Seeds of a scope that a variant has to be found in.
_SEEDS = 20


def test_every_variant_is_here() -> None:
    """A new variant must be found as well."""
    assert sorted(RULES) == sorted(registry.variant_ids())


def _is_found(variant: str) -> None:
    """Look as the lab's matrix does: the same script or seeds, with the bug and without."""
    runs, rules = 0, set()
    for history in histories(variant, _SEEDS, with_bug=True):
        runs += 1
        rules = {row["rule"] for row in broken(history)}
        if rules:
            break
    assert RULES[variant] in rules, f"{variant}: {rules or 'nothing'} after {runs} runs"
    for history in histories(variant, runs, with_bug=False):
        assert not told(broken(history))


@pytest.mark.parametrize("variant", _QUICK)
def test_a_bug_is_found(variant: str) -> None:
    """Some of each kind: a write, a message, a delete, an election, a reply, a stray, an epoch."""
    _is_found(variant)


@pytest.mark.slow
@pytest.mark.parametrize("variant", sorted(set(RULES) - set(_QUICK)))
def test_every_other_bug_is_found(variant: str) -> None:
    """All others."""
    _is_found(variant)


@pytest.mark.parametrize("scope", ["moves", "all", "steps", "leaders-ask"])
def test_the_product_keeps_all_rules(scope: str) -> None:
    """What breaks a rule here breaks it in a real cluster's history."""
    assert not told(broken(of_seed(ALL_SCOPES[scope], 0)))


@pytest.mark.parametrize(
    ("scope", "seed"),
    [
        # A node lists a move and ends; what the next one makes of it is no lie of the first.
        ("explore-deposed", 116),
        # A move gets another target and ends a step in one Commit.
        ("steps-all", 125),
    ],
)
def test_the_product_is_not_blamed(scope: str, seed: int) -> None:
    """Histories that look as if a rule were broken."""
    assert not told(broken(of_seed(ALL_SCOPES[scope], seed)))


def test_who_has_not_read_an_order_yet_may_refuse_to_cancel_it() -> None:
    """A cancel that overtakes the news of an order is not N10."""

    def script(stage: Stage) -> None:
        order_held_up(stage)
        order(stage.world, ("t", 0, (2, 3)), ("u", 0, (1, 2)))
        stage.world.ask("n1", cancel("u", 0))
        stage.world.settle()
        stage.rest()

    assert not told(broken(of_case(Case("klamm", TWO_TOPICS, script))))


@pytest.mark.slow
@pytest.mark.parametrize("scope", sorted(ALL_SCOPES))
def test_the_product_keeps_all_rules_in_many_runs(scope: str) -> None:
    """The same with many seeds, in every scope that there is."""
    for seed in range(1, 1 + examples(10)):
        assert not told(broken(of_seed(ALL_SCOPES[scope], seed))), f"seed {seed}"
