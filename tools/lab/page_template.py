"""The page of a run, but for its data: one document without any other file.

In the script, `run` is what `klamm.tools.lab.page.render_page` embeds.
"""

from typing import Final

_STYLE: Final = """
:root {
  color-scheme: light dark;
  --ground: #fbfaf7; --raised: #ffffff; --ink: #1d2129; --faint: #68707d; --line: #dcdfe4;
  --chosen: #e3edfb; --wire: #3b6fb6; --lost: #b4472e; --fault: #a83a12; --fault-ground: #fcecd9;
  --broken: #fbdcdc; --broken-ink: #9b1c1c; --good: #1f6f43; --new: #fff3bf;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #14171c; --raised: #1c2027; --ink: #e4e7ec; --faint: #98a1b0; --line: #333a45;
    --chosen: #1f3350; --wire: #7fb0f2; --lost: #f08a6c; --fault: #f5a86b; --fault-ground: #3a2a17;
    --broken: #4a1d1f; --broken-ink: #ff9c9c; --good: #6fcf97; --new: #4a4218;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; height: 100vh; display: grid; grid-template-rows: auto 1fr;
  background: var(--ground); color: var(--ink); font: 14px/1.45 system-ui, sans-serif;
}
header { padding: 10px 16px; border-bottom: 1px solid var(--line); background: var(--raised); }
h1 { font-size: 17px; margin: 0 12px 0 0; display: inline; }
h2 { font-size: 14px; margin: 18px 0 6px; }
.outcome-green { color: var(--good); } .outcome-red { color: var(--broken-ink); font-weight: 600; }
.bar { display: flex; flex-wrap: wrap; gap: 8px; align-items: center; margin-top: 8px; }
button, input[type=range] { font: inherit; color: inherit; }
button {
  padding: 3px 12px; border: 1px solid var(--line); border-radius: 6px; background: var(--ground);
  cursor: pointer;
}
button:hover { border-color: var(--wire); }
:focus-visible { outline: 2px solid var(--wire); outline-offset: 1px; }
.bar input { flex: 1 1 160px; min-width: 120px; accent-color: var(--wire); }
main {
  display: grid; grid-template-columns: minmax(380px, 1.2fr) minmax(340px, 1fr); min-height: 0;
}
@media (max-width: 800px) {
  main { grid-template-columns: 1fr; grid-template-rows: 55% 45%; }
}
#time { overflow: auto; position: relative; border-right: 1px solid var(--line); }
#lanes {
  position: sticky; top: 0; z-index: 2; height: 28px; background: var(--raised);
  border-bottom: 1px solid var(--line); font-weight: 600; min-width: max-content;
}
#lanes span { position: absolute; top: 4px; transform: translateX(-50%); }
#rows { position: relative; min-width: max-content; }
#rows svg { position: absolute; top: 0; left: 0; pointer-events: none; }
.row {
  height: 24px; padding: 2px 8px; white-space: nowrap; cursor: pointer;
  border-left: 4px solid transparent; overflow: hidden; scroll-margin-top: 34px;
}
.row span { display: inline-block; overflow: hidden; text-overflow: ellipsis; width: 262px; }
.row .at { width: 46px; color: var(--faint); font-variant-numeric: tabular-nums; }
.row.fault { background: var(--fault-ground); border-left-color: var(--fault); }
.row.broken { background: var(--broken); border-left-color: var(--broken-ink); font-weight: 600; }
.row[aria-selected=true] { background: var(--chosen); border-left-color: var(--wire); }
.lane { stroke: var(--line); } .wire { stroke: var(--wire); } .lost { stroke: var(--lost); }
.lost { stroke-dasharray: 4 3; }
.dot { fill: var(--ink); } .dot.fault { fill: var(--fault); }
#wire-end path { fill: var(--wire); } #lost-end path { fill: var(--lost); }
#now { overflow: auto; padding: 12px 16px 40px; }
pre { margin: 0; font: 12px/1.5 ui-monospace, Menlo, Consolas, monospace; white-space: pre-wrap; }
#lines { list-style: none; margin: 0; padding: 0; font: 12px/1.5 ui-monospace, monospace; }
#lines li { display: grid; grid-template-columns: 58px 1fr; overflow-wrap: anywhere; }
#lines span { white-space: pre-wrap; }
#lines b { color: var(--faint); font-weight: 500; }
table { border-collapse: collapse; width: 100%; font-size: 12.5px; }
caption { text-align: left; font-weight: 600; padding: 14px 0 4px; }
th, td {
  text-align: left; vertical-align: top; padding: 3px 8px 3px 0;
  border-top: 1px solid var(--line);
}
th { font-weight: 500; white-space: nowrap; }
td { overflow-wrap: anywhere; font-family: ui-monospace, Menlo, Consolas, monospace; }
.changed { background: var(--new); }
.gone { text-decoration: line-through; color: var(--faint); }
"""

_SCRIPT: Final = """
"use strict";
const run = JSON.parse(document.getElementById("run").textContent);
const ROW = 24, LEFT = 330, WIDE = 74;
const $ = (id) => document.getElementById(id);
const make = (tag, text, of) => {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  return Object.assign(made, of || {});
};
const draw = (tag, of) => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(of)) made.setAttribute(name, value);
  return made;
};
const x = (lane) => LEFT + WIDE * (lane + 0.5);
const y = (row) => ROW * (row + 0.5);
const width = LEFT + WIDE * run.lanes.length, height = ROW * run.steps.length;
let chosen = 0;

function timeline() {
  $("lanes").style.width = $("rows").style.width = width + "px";
  const svg = draw("svg", {width, height, "aria-hidden": "true"});
  const ends = draw("defs", {});
  for (const kind of ["wire", "lost"]) {
    const end = draw("marker", {id: kind + "-end", viewBox: "0 0 8 8", refX: 8, refY: 4,
      markerWidth: 7, markerHeight: 7, orient: "auto-start-reverse"});
    end.append(draw("path", {d: "M0 0 L8 4 L0 8 z"}));
    ends.append(end);
  }
  svg.append(ends);
  run.lanes.forEach((name, lane) => {
    $("lanes").append(Object.assign(make("span", name), {style: "left:" + x(lane) + "px"}));
    svg.append(draw("line", {class: "lane", x1: x(lane), x2: x(lane), y1: 0, y2: height}));
  });
  for (const [from, lane, to, other, label, lost] of run.arrows) {
    const kind = lost ? "lost" : "wire";
    const line = draw("line", {class: kind, x1: x(lane), y1: y(from), x2: x(other), y2: y(to),
      "marker-end": "url(#" + kind + "-end)"});
    line.append(Object.assign(draw("title", {}), {textContent: label}));
    svg.append(line);
  }
  run.steps.forEach((step, row) => {
    const line = make("div", undefined, {id: "s" + row, className: "row"});
    line.setAttribute("role", "option");
    const action = step.fault ? "\u26a1 " + step.action : step.action;
    line.append(make("span", step.n, {className: "at"}), make("span", action, {title: action}));
    if (step.fault) line.classList.add("fault");
    if (step.n === run.violation) line.classList.add("broken");
    line.addEventListener("click", () => show(row));
    $("rows").append(line);
    const dot = draw("circle", {class: step.fault ? "dot fault" : "dot", cx: x(step.lane),
      cy: y(row), r: step.fault ? 5 : 3});
    svg.append(dot);
  });
  $("rows").append(svg);
}

function past(row) {
  const hosts = {...run.first.hosts}, znodes = {...run.first.znodes};
  for (let at = 0; at <= row; at++) {
    Object.assign(hosts, run.steps[at].hosts);
    Object.assign(znodes, run.steps[at].znodes);
  }
  return {hosts, znodes};
}

function table(caption, heads, lines) {
  const made = make("table");
  made.append(make("caption", caption));
  const head = make("tr");
  for (const name of heads) head.append(make("th", name, {scope: "col"}));
  made.append(make("thead"), make("tbody"));
  made.tHead.append(head);
  for (const [cells, mark] of lines) {
    const line = make("tr", undefined, {className: mark});
    const [name, ...others] = cells;
    line.append(make("th", name, {scope: "row"}), ...others.map((text) => make("td", text)));
    made.tBodies[0].append(line);
  }
  return made;
}

function parsed(text) {
  try { return JSON.parse(text); } catch { return null; }
}

function partitions(znodes, changed) {
  const found = [];
  for (const path of Object.keys(znodes).sort()) {
    const name = path.match(/^[/]brokers[/]topics[/]([^/]+)$/);
    const topic = name && znodes[path] && parsed(znodes[path]);
    if (!topic || !topic.partitions) continue;
    const list = (map, number) => "[" + ((map || {})[number] || []).join(",") + "]";
    for (const number of Object.keys(topic.partitions)) {
      const at = path + "/partitions/" + number + "/state";
      const state = (znodes[at] && parsed(znodes[at])) || {};
      found.push([[name[1] + "-" + number, list(topic.partitions, number),
        list(topic.adding_replicas || topic.addingReplicas, number),
        list(topic.removing_replicas || topic.removingReplicas, number),
        state.leader === undefined ? "-" : state.leader,
        state.leader_epoch === undefined ? "-" : state.leader_epoch,
        state.isr ? "[" + state.isr.join(",") + "]" : "-"],
        path in changed || at in changed ? "changed" : ""]);
    }
  }
  return table("Partitions, by their znodes",
    ["partition", "RS", "AR", "RR", "leader", "epoch", "ISR"], found);
}

function hosts(caption, looks, changed, first) {
  const lines = Object.keys(looks).filter((name) => name.startsWith(first)).map((name) => [
    [name, Object.entries(looks[name]).map(([key, value]) => key + ": " + value).join("; ")],
    name in changed ? "changed" : ""]);
  return table(caption, ["host", "after this step"], lines);
}

function zookeeper(znodes, changed) {
  const lines = Object.keys(znodes).sort()
    .filter((path) => znodes[path] !== null || path in changed)
    .map((path) => [[path, znodes[path] === null ? "removed" : znodes[path] || "(null)"],
      (path in changed ? "changed" : "") + (znodes[path] === null ? " gone" : "")]);
  return table("ZooKeeper", ["znode", "data"], lines);
}

function show(row) {
  if (!run.steps.length) return;
  const before = $("s" + chosen);
  if (before) before.setAttribute("aria-selected", "false");
  chosen = Math.max(0, Math.min(run.steps.length - 1, row));
  const step = run.steps[chosen], line = $("s" + chosen), {hosts: looks, znodes} = past(chosen);
  line.setAttribute("aria-selected", "true");
  $("rows").setAttribute("aria-activedescendant", line.id);
  line.scrollIntoView({block: "nearest", inline: "nearest"});
  $("slider").value = chosen;
  $("slider").setAttribute("aria-valuetext", "step " + step.n);
  $("which").textContent = "Step " + step.n + " at " + step.t + ": " + step.action +
    (step.fault ? " (fault)" : "") + (step.n === run.violation ? " (violation)" : "");
  $("lines").replaceChildren(...step.lines.map(([what, text]) => {
    const item = make("li");
    item.append(make("b", what), make("span", text));
    return item;
  }));
  $("state").replaceChildren(
    partitions(znodes, step.znodes),
    hosts("Nodes", looks, step.hosts, "n"),
    hosts("Brokers and their replicas", looks, step.hosts, "b"),
    zookeeper(znodes, step.znodes));
}

function next(wanted) {
  for (let ahead = 1; ahead <= run.steps.length; ahead++) {
    const row = (chosen + ahead) % run.steps.length;
    if (wanted(run.steps[row])) return show(row);
  }
}

timeline();
$("slider").max = Math.max(0, run.steps.length - 1);
$("slider").addEventListener("input", () => show(Number($("slider").value)));
$("back").addEventListener("click", () => show(chosen - 1));
$("on").addEventListener("click", () => show(chosen + 1));
$("fault").addEventListener("click", () => next((step) => step.fault));
$("wrong").hidden = run.violation === null;
$("wrong").addEventListener("click", () => next((step) => step.n === run.violation));
const KEYS = {ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1, PageUp: -20, PageDown: 20,
  Home: -Infinity, End: Infinity};
document.addEventListener("keydown", (event) => {
  if (event.target === $("slider") || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key in KEYS) { show(chosen + KEYS[event.key]); event.preventDefault(); }
});
const wrong = run.steps.findIndex((step) => step.n === run.violation);
show(wrong < 0 ? 0 : wrong);
"""

TEMPLATE: Final = f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>klamm lab: @TITLE@</title>
<style>{_STYLE}</style>
</head>
<body>
<header>
<h1>@TITLE@</h1>
<span class="outcome-@OUTCOME@">@VERDICT@</span>
<details><summary>What was run, and what came of it</summary><pre>@SUMMARY@</pre></details>
<div class="bar" role="toolbar" aria-label="Steps" aria-controls="now">
<button type="button" id="back" aria-keyshortcuts="ArrowLeft">Back</button>
<button type="button" id="on" aria-keyshortcuts="ArrowRight">Step</button>
<button type="button" id="fault">Next fault</button>
<button type="button" id="wrong" hidden>Violation</button>
<input type="range" id="slider" min="0" max="0" value="0" aria-label="Step">
</div>
<noscript><p>To step through a run this page needs its script.</p></noscript>
</header>
<main>
<section id="time" aria-label="Timeline">
<div id="lanes" aria-hidden="true"></div>
<div id="rows" role="listbox" tabindex="0" aria-label="What happened, step by step"></div>
</section>
<section id="now" aria-label="The chosen step">
<h2 id="which" aria-live="polite"></h2>
<ul id="lines"></ul>
<div id="state"></div>
</section>
</main>
<script type="application/json" id="run">@DATA@</script>
<script>{_SCRIPT}</script>
</body>
</html>
"""
