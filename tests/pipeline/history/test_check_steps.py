"""V1 to V8 in a journal: breaches that are planted into one are found, each by its own rule."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from pipeline.checking import broken, told

from klamm.tools.lab.history import History, of_seed
from klamm.tools.lab.studies import ALL_SCOPES

Entry = dict[str, Any]


def _journals() -> History:
    """Moves in steps of one replica each, with a failover between them; journals alone."""
    return replace(of_seed(ALL_SCOPES["steps-crash"], 0), world=[])


def _is_swap_end(entry: Entry) -> bool:
    return (entry["kind"], entry.get("step", {}).get("kind")) == ("step-end", "swap")


def _is_begin(entry: Entry) -> bool:
    return entry["kind"] == "step-begin" and bool(entry["step"].get("added"))


def _loses_too_many(entry: Entry) -> None:
    entry["step"]["min_isr"] = 2
    leader = entry["after"]["leader"]
    entry["before"]["isr"] = [leader, *entry["step"]["dropped"]]
    entry["after"]["isr"] = [leader]


def _ends_early(entry: Entry) -> None:
    entry["step"]["added"] = entry["before"]["adding"][-1:]
    late = set(entry["step"]["added"])
    for form in (entry["before"], entry["after"]):
        form["isr"] = [each for each in form["isr"] if each not in late]


def _adds_too_many(entry: Entry) -> None:
    entry["step"]["added"] = [1, 2, 3]


def _runs_too_many(entry: Entry) -> None:
    entry["step"]["limits"]["partitions"] = 0


def _ends_with_another_leader(entry: Entry) -> None:
    entry["before"]["pace"] = {"hosted": [3, 4], "origin": [1, 2], "steps": 2}
    entry["after"]["leader"] = entry["after"]["replicas"][-1]


def _changes_the_target(entry: Entry) -> None:
    entry["after"]["replicas"].append(9)
    entry["after"].setdefault("adding", []).append(9)


def _hosts_too_few(entry: Entry) -> None:
    entry["after"]["pace"]["hosted"] = entry["after"]["pace"]["hosted"][:1]


def _takes_the_lead(entry: Entry) -> None:
    others = [each for each in entry["after"]["isr"] if each != entry["before"]["leader"]]
    entry["after"]["leader"] = others[0]
    entry["after"]["leader_epoch"] += 1


_PLANTED: dict[str, tuple[Callable[[Entry], bool], Callable[[Entry], None]]] = {
    "V1": (_is_swap_end, _loses_too_many),
    "V2": (_is_swap_end, _ends_early),
    "V3": (_is_begin, _adds_too_many),
    "V4": (_is_begin, _runs_too_many),
    "V5": (lambda entry: entry["kind"] == "end", _ends_with_another_leader),
    "V6": (_is_swap_end, _changes_the_target),
    "V7": (_is_swap_end, _hosts_too_few),
    "V8": (_is_swap_end, _takes_the_lead),
}


@pytest.mark.req("R435-64")
def test_steps_as_they_were_made_keep_all_rules() -> None:
    """A journal with steps has all that V1 to V8 need, and breaks none."""
    history = _journals()
    kinds = [json.loads(line)["kind"] for each in history.journals.values() for line in each]
    assert kinds.count("step-begin") >= 3 <= kinds.count("step-end")
    assert not told(broken(history))


@pytest.mark.req("R435-64")
@pytest.mark.parametrize("rule", sorted(_PLANTED))
def test_a_planted_breach_is_found(rule: str) -> None:
    """One line of the journal says what must not be; its rule is broken, and the line is shown."""
    history = _journals()
    chosen, plant = _PLANTED[rule]
    for node, lines in history.journals.items():
        for number, line in enumerate(lines):
            entry = json.loads(line)
            if chosen(entry):
                plant(entry)
                lines[number] = json.dumps(entry).encode()
                found = {row["rule"]: row for row in broken(history)}
                assert rule in found, told(found.values())
                shown = {"source": f"nodes/{node}.jsonl", "line": number + 1}
                assert shown in found[rule]["evidence"]
                return
    pytest.fail("the journal has no such entry")
