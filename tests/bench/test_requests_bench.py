"""The benchmark of requests measures what it says, in a moment of each."""

from klamm.tools.bench.requests import DEPTHS, REQUESTS, Rates, measure


def test_both_servers_answer_every_request_at_every_depth() -> None:
    found = list(measure(rounds=1, seconds=0.05))
    assert [(each.request, each.depth) for each in found] == [
        (name, depth) for name in REQUESTS for depth in DEPTHS
    ]
    assert all(each.klamm > 0 and each.echo > 0 and each.ratio > 0 for each in found)


def test_rates_are_told_in_a_line() -> None:
    told = str(Rates("list", 16, 1234.5, 2469.0, 0.5))
    assert told == "list       16 in flight   klamm    1,234/s   echo    2,469/s   ratio 0.50"
