"""How a report looks: its style, and the script that draws its charts in the page's colours."""

STYLE = """
:root {
  color-scheme: light dark;
  --ground: #fbfbf9; --raised: #ffffff; --ink: #1c2330; --faint: #5b6474; --line: #dfe1e6;
  --accent: #0b5c8f;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --ground: #14171c; --raised: #1b1f26; --ink: #e4e7ec; --faint: #a0a8b6; --line: #333a45;
    --accent: #7fb8e6;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--ground); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif;
}
main { max-width: 70rem; margin: 0 auto; padding: 2.5rem 1.5rem 4rem; }
h1 { font-size: 1.75rem; line-height: 1.25; font-weight: 650; margin: 0 0 1rem; }
h2 { font-size: 1.15rem; line-height: 1.3; font-weight: 650; margin: 0 0 .4rem; }
p { max-width: 46rem; margin: 0 0 .9rem; overflow-wrap: anywhere; }
section, section + p { margin-top: 2.4rem; }
.note, figcaption { color: var(--faint); font-size: .925rem; }
.figures {
  display: grid; grid-template-columns: repeat(auto-fit, minmax(10rem, 1fr)); gap: .6rem;
  margin: 1.4rem 0;
}
.figures div {
  background: var(--raised); border: 1px solid var(--line); border-radius: 8px;
  padding: .7rem 1rem;
}
.figures dt { color: var(--faint); font-size: .85rem; }
.figures dd {
  margin: .1rem 0 0; font-size: 1.3rem; font-weight: 600; font-variant-numeric: tabular-nums;
  overflow-wrap: anywhere;
}
figure { margin: 0; }
.chart {
  width: 100%; background: var(--raised); border: 1px solid var(--line); border-radius: 8px;
}
figcaption { margin-top: .6rem; }
details { margin-top: .6rem; }
summary { cursor: pointer; color: var(--accent); font-size: .925rem; padding: .2rem 0; }
.table {
  overflow: auto; max-height: 34rem; border: 1px solid var(--line); border-radius: 8px;
  background: var(--raised); margin-top: .6rem;
}
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: left; padding: .4rem .8rem; vertical-align: top; }
th {
  position: sticky; top: 0; background: var(--raised); font-weight: 600; color: var(--faint);
  box-shadow: inset 0 -1px var(--line); white-space: nowrap;
}
tbody tr + tr td { border-top: 1px solid var(--line); }
td { font-variant-numeric: tabular-nums; overflow-wrap: break-word; }
.number { text-align: right; white-space: nowrap; }
@media print {
  body { font-size: 10.5pt; background: #fff; }
  main { max-width: none; padding: 0; }
  section, .figures { break-inside: avoid; }
  .table { max-height: none; overflow: visible; border: 0; }
  section:has(tr:nth-child(25)) { break-inside: auto; }
}
"""

SCRIPT = """
(() => {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const drawn = [];
  const colours = () => {
    const style = getComputedStyle(document.documentElement);
    const of = (name) => style.getPropertyValue(name).trim();
    return { ink: of('--ink'), faint: of('--faint'), line: of('--line'), raised: of('--raised') };
  };
  const dressed = (layout) => {
    const c = colours(), all = structuredClone(layout);
    all.paper_bgcolor = all.plot_bgcolor = 'rgba(0,0,0,0)';
    all.font = { ...all.font, color: c.ink };
    all.hoverlabel = { ...all.hoverlabel, bgcolor: c.raised, bordercolor: c.line,
                       font: { color: c.ink } };
    for (const key of ['xaxis', 'yaxis', ...Object.keys(all)]) {
      if (!/^[xy]axis[0-9]*$/.test(key)) continue;
      const tickfont = { ...(all[key] || {}).tickfont, color: c.faint };
      all[key] = { automargin: true, ...all[key], gridcolor: c.line, linecolor: c.line,
                   zerolinecolor: c.line, tickfont };
    }
    return all;
  };
  for (const script of document.querySelectorAll('script[data-chart]')) {
    const { data, layout } = JSON.parse(script.textContent);
    const place = document.getElementById(script.dataset.chart);
    drawn.push([place, layout]);
    Plotly.newPlot(place, data, dressed(layout),
                   { responsive: true, displaylogo: false, displayModeBar: false });
  }
  const redress = () => drawn.forEach(([place, layout]) => Plotly.relayout(place, dressed(layout)));
  dark.addEventListener('change', redress);
  addEventListener('beforeprint', () => {
    document.querySelectorAll('details').forEach((each) => { each.open = true; });
    redress();
  });
})();
"""
