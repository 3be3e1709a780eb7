"""The page of a run: whole in itself, well formed, and what it shows is what happened."""

from __future__ import annotations

import json
from functools import cache
from html.parser import HTMLParser
from typing import Any

import pytest

from klamm.controller.core.ops import Create
from klamm.controller.znodes import paths
from klamm.tools.lab import clients
from klamm.tools.lab.choices import Enumerator
from klamm.tools.lab.events import Violation
from klamm.tools.lab.film import Film
from klamm.tools.lab.page import embedded, render_page
from klamm.tools.lab.scope import Scope
from klamm.tools.lab.trace import Header
from klamm.tools.lab.world import World

SCOPE = Scope("a move", "One partition moves.", topics={"t": {0: (1, 2)}})
HOSTILE = b'</script><script>alert(1)</script><!-- \xe2\x80\xa8 & "'
VOID = frozenset(("meta", "input", "br", "link", "img", "hr"))


class Page(HTMLParser):
    """Every element with its attributes; complains of tags that do not match."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, str] = {}
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert not self._open, f"left open: {self._open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open:
            key = dict(self.elements[-1][1]).get("id") or self._open[-1]
            self.texts[key] = self.texts.get(key, "") + data

    def with_id(self, id_: str) -> tuple[str, dict[str, str | None]]:
        (found,) = [element for element in self.elements if element[1].get("id") == id_]
        return found

    @property
    def run(self) -> dict[str, Any]:
        read: dict[str, Any] = json.loads(self.texts["run"])
        return read


@cache
def filmed() -> World:
    world = World(SCOPE, Enumerator())
    world.observed.film = Film.of(world)
    world.ask("n1", clients.move("t", 0, 2, 3))
    world.settle()
    world.advance(2)
    world.write("something hostile", Create(paths.REASSIGN_PARTITIONS, HOSTILE))
    world.do("crash n1")
    return world


def page(violation: Violation | None = None, scope: str = "a move") -> str:
    world = filmed()
    film = world.observed.film
    assert film is not None
    return render_page(world.events, film, Header(scope, "F<99>"), violation)


def state_after(run: dict[str, Any], row: int, kind: str) -> dict[str, Any]:
    shown = dict(run["first"][kind])
    for step in run["steps"][: row + 1]:
        shown.update(step[kind])
    return shown


def test_a_page_is_well_formed_and_needs_nothing_else() -> None:
    text = page()
    parsed = Page(text)
    assert text.startswith("<!DOCTYPE html>")
    for tag, attributes in parsed.elements:
        assert tag not in ("link", "img", "iframe", "base")
        assert not {"src", "href", "onclick"} & attributes.keys(), tag
    for forbidden in ("http://", "https://", "@import", "url("):
        assert forbidden not in text.replace("http://www.w3.org/2000/svg", "").replace(
            "url(#", ""
        ), forbidden
    assert "@" not in "".join(name for name in ("TITLE", "DATA") if f"@{name}@" in text)


def test_what_is_embedded_cannot_end_its_element() -> None:
    text = page()
    assert text.count("</script>") == 2
    assert "<!--" not in text
    assert "alert(1)</script>" not in text
    run = Page(text).run
    held = state_after(run, len(run["steps"]) - 1, "znodes")
    assert held[paths.REASSIGN_PARTITIONS] == HOSTILE.decode()


def test_embedded_data_is_the_same_when_read() -> None:
    data = {"a": "</script><!-- & > \u2028\u2029 \u00e9"}
    text = embedded(data)
    assert not set("<>&\u2028\u2029") & set(text)
    assert json.loads(text) == data


def test_title_and_summary_are_escaped() -> None:
    text = page(scope="<b>")
    assert "<b>" not in text
    assert "&lt;b&gt; with F&lt;99&gt;" in text


def test_every_step_has_its_row_and_its_lines() -> None:
    run, world = Page(page()).run, filmed()
    assert [step["action"] for step in run["steps"]] == [each.action for each in world.events]
    assert run["lanes"] == ["clients", "n1", "n2", "zk", "b1", "b2", "b3", "world"]
    first = run["steps"][0]
    assert run["lanes"][first["lane"]] == "clients"
    assert ["client", "(1) asks n1: move t-0 to 2,3"] in first["lines"]
    last = run["steps"][-1]
    assert (last["action"], run["lanes"][last["lane"]]) == ("crash n1", "n1")
    assert last["fault"]


def test_what_is_shown_changes_with_the_steps() -> None:
    run = Page(page()).run
    before = json.loads(run["first"]["znodes"]["/brokers/topics/t"])
    after = json.loads(state_after(run, len(run["steps"]) - 2, "znodes")["/brokers/topics/t"])
    assert (before["partitions"], after["partitions"]) == ({"0": [1, 2]}, {"0": [2, 3]})
    assert run["first"]["hosts"]["n1"]["phase"] == "active"
    assert run["first"]["hosts"]["n1"]["epoch"] == "1"
    assert run["first"]["hosts"]["b1"]["t-0"].startswith("leads, epoch 0, ISR [1,2]")
    end = state_after(run, len(run["steps"]) - 1, "hosts")
    assert end["n1"] == {"phase": "down"}
    assert end["b2"]["t-0"].startswith("leads, epoch 2")
    assert "t-0" not in end["b1"]


def test_messages_lead_from_where_they_were_sent_to_where_they_arrived() -> None:
    run = Page(page()).run
    lanes, steps = run["lanes"], run["steps"]
    orders = [arrow for arrow in run["arrows"] if arrow[4] == "LeaderAndIsr"]
    assert orders
    for row, source, other_row, target, _, lost in orders:
        assert lanes[source] == "n1" and lanes[target].startswith("b") and not lost
        assert row < other_row
        assert steps[other_row]["action"] == f"{lanes[target]} serves n1"
    assert any(arrow[4] == "asks" and arrow[0] == 0 for arrow in run["arrows"])


def test_a_request_that_was_lost_is_marked() -> None:
    world = World(SCOPE, Enumerator())
    world.observed.film = film = Film.of(world)
    world.ask("n1", clients.move("t", 0, 2, 3))
    world.until(lambda: world.can("b1 serves n1"))
    world.do("crash n1")
    run = Page(render_page(world.events, film, Header("x"))).run
    assert any(arrow[5] for arrow in run["arrows"])


def test_a_violation_is_marked_and_said_in_words() -> None:
    text = page(Violation("I3", 4, "t-0 ended at <4>", ("evidence",)))
    parsed = Page(text)
    assert parsed.run["violation"] == 4
    assert "I3 does not hold since step 4" in text
    assert "t-0 ended at &lt;4&gt;" in text
    assert parsed.with_id("wrong")[0] == "button"
    assert Page(page()).run["violation"] is None


def test_a_page_can_be_used_without_a_mouse_or_eyes() -> None:
    parsed = Page(page())
    html = next(attributes for tag, attributes in parsed.elements if tag == "html")
    assert html["lang"] == "en"
    for id_, key in (("back", "ArrowLeft"), ("on", "ArrowRight")):
        tag, attributes = parsed.with_id(id_)
        assert (tag, attributes["aria-keyshortcuts"]) == ("button", key)
    rows = parsed.with_id("rows")[1]
    assert (rows["role"], rows["tabindex"]) == ("listbox", "0") and rows["aria-label"]
    assert parsed.with_id("which")[1]["aria-live"] == "polite"
    assert parsed.with_id("slider")[1]["aria-label"]
    ids = [attributes["id"] for _, attributes in parsed.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    text = page()
    assert "prefers-color-scheme: dark" in text and "color-scheme: light dark" in text


def test_a_film_must_show_every_step() -> None:
    world = filmed()
    with pytest.raises(ValueError, match="a film of 0 steps"):
        render_page(world.events, Film.of(world), Header("x"))
