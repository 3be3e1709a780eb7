"""Fair shares of links, on examples and by their definition."""

import math

from hypothesis import given
from hypothesis import strategies as st

from klamm.tools.brokers.fairness import Demand, shares

LINKS = ("a", "b", "c", "d")

capacities_of = st.fixed_dictionaries({link: st.floats(0, 1000) for link in LINKS})
demands_of = st.dictionaries(
    st.integers(0, 7),
    st.builds(
        Demand,
        st.integers(1, 50),
        st.lists(st.sampled_from(LINKS), min_size=1, max_size=3, unique=True).map(tuple),
        st.one_of(st.just(math.inf), st.floats(0, 500)),
    ),
)


def test_flows_alike_share_alike() -> None:
    demands = {"one": Demand(3, ("a",)), "other": Demand(1, ("a",))}
    assert shares(demands, {"a": 100.0}) == {"one": 25.0, "other": 25.0}


def test_what_somebody_cannot_use_goes_to_the_others() -> None:
    demands = {"narrow": Demand(1, ("a", "b")), "wide": Demand(1, ("a",))}
    assert shares(demands, {"a": 100.0, "b": 10.0}) == {"narrow": 10.0, "wide": 90.0}


def test_who_wants_little_gets_that_and_no_more() -> None:
    demands = {"little": Demand(2, ("a",), 5.0), "all": Demand(1, ("a",))}
    assert shares(demands, {"a": 100.0}) == {"little": 5.0, "all": 90.0}


def test_nobody_gets_through_a_closed_link() -> None:
    assert shares({"it": Demand(9, ("a", "b"))}, {"a": 100.0, "b": 0.0}) == {"it": 0.0}


def test_a_link_without_a_capacity_holds_nobody_back() -> None:
    demands = {"little": Demand(1, ("a",), 7.0), "all": Demand(1, ("a", "b"))}
    assert shares(demands, {"b": 100.0}) == {"little": 7.0, "all": 100.0}


@given(demands_of, capacities_of)
def test_shares_are_max_min_fair(
    demands: dict[int, Demand[str]], capacities: dict[str, float]
) -> None:
    """No link carries too much; who has less than it wants is on a full link, where nobody has
    more than it, which is what max-min fairness means."""
    rates = shares(demands, capacities)
    assert rates.keys() == demands.keys()
    load = {
        link: sum(d.count * rates[key] for key, d in demands.items() if link in d.links)
        for link in LINKS
    }
    for link, carried in load.items():
        assert carried <= capacities[link] * (1 + 1e-6) + 1e-6
    for key, demand in demands.items():
        assert 0 <= rates[key] <= demand.most
        if rates[key] < demand.most * (1 - 1e-6):
            assert any(
                load[link] >= capacities[link] * (1 - 1e-6) - 1e-6
                and all(
                    rates[other] <= rates[key] * (1 + 1e-6) + 1e-6
                    for other, d in demands.items()
                    if link in d.links
                )
                for link in demand.links
            )
