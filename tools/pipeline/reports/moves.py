"""The page of `klamm pipeline moves`: when what moved, how long, and what was in the way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from klamm.tools.pipeline.jobs.moves import DRAWN, LISTED, STRETCHES, Findings
from klamm.tools.pipeline.reports.charts import Bar, bars, heat_map, timeline
from klamm.tools.pipeline.reports.page import (
    Cell,
    Figures,
    Grid,
    Page,
    Part,
    Text,
    as_bytes,
    as_span,
    as_time,
)
from klamm.tools.pipeline.tables import Row

#: Of moves that are listed one by one.
_COLUMNS = (
    *("move", "replicas", "by", "client", "since", "took"),
    *("failovers", "again", "drops", "bytes", "reason"),
)


def page(findings: Findings) -> Page:
    """Return the page; it holds a bounded part of what there is, and says so."""
    return Page("Moves", tuple(_parts(findings)))


def _parts(found: Findings) -> Iterator[Part]:
    yield Text(
        "One row for each move in the history, from the request, or the entry of"
        " /admin/reassign_partitions, to its end. Times are those of the controllers' clocks."
    )
    counts: Counter[str] = Counter()
    for row in found.results:
        counts[row["result"]] += row["moves"]
    yield Figures(
        {
            "moves": found.moves,
            **dict(sorted(counts.items())),
            "failovers under way": sum(row["failovers"] for row in found.results),
            "asked again": sum(row["retries"] for row in found.results),
            "terms of office": sum(len(around.offices) for around in found.clusters.values()),
        }
    )
    if found.drawn:
        yield timeline(
            "What moved when",
            [_bar(found, row) for row in found.drawn],
            f"The first {DRAWN} of {found.moves} moves."
            if found.moves > DRAWN
            else "Every move of the history.",
        )
        yield from _heat_maps(found)
    yield _phases(found)
    yield from _spread(found)
    yield _listed("The slowest", found, found.slowest, "")
    yield _listed("Stuck", found, found.stuck, f"At most {LISTED} are listed.")
    yield _listed("Lost", found, found.lost, f"At most {LISTED} are listed.")
    yield Grid(
        "Throttles left behind",
        ("cluster", "of", "since"),
        [(row["cluster"], row["entity"], as_time(row["since_ms"])) for row in found.throttled],
        "Topics and brokers whose throttles were set, and not unset when nothing needed them.",
    )
    yield _waves(found)
    yield _offices(found)
    yield from _skew(found)
    yield Grid(
        "Progress of requests with a number",
        ("cluster", "request", "replica", "points", "fell"),
        [
            (
                row["cluster"],
                row["request"],
                f"{row['topic']}-{row['partition']} to {row['broker']}",
                row["points"],
                row["fell"],
            )
            for row in found.curves
        ],
        "How often its progress was told, and how often it was less than before: producers were"
        " faster than the copy. The points are in the table `progress`.",
    )


def _bar(found: Findings, row: Row) -> Bar:
    ends_ms = found.clusters[row["cluster"]].ends_ms
    end_ms = ends_ms if row["ended_ms"] is None else row["ended_ms"]
    label = f"{_ids(row['origin'])} to {_ids(row['target'])}"
    if row["reason"]:
        label += f": {row['reason']}"
    name = f"{row['topic']}-{row['partition']}"
    lane = f"{row['cluster']}/{name}" if len(found.clusters) > 1 else name
    return Bar(lane, row["seen_ms"], max(end_ms, row["seen_ms"]), row["result"], label)


def _heat_maps(found: Findings) -> Iterator[Part]:
    for cluster in found.clusters:
        rows = [row for row in found.in_flight if row["cluster"] == cluster]
        if not rows:
            continue
        counts = {(row["broker"], row["at_ms"]): row["moves"] for row in rows}
        brokers = sorted({row["broker"] for row in rows})
        first = min(row["at_ms"] for row in found.in_flight)
        times = [first + place * found.width_ms for place in range(STRETCHES)]
        yield heat_map(
            f"Moves under way to each broker{_of(found, cluster)}",
            brokers,
            times,
            [[float(counts.get((broker, at), 0)) for at in times] for broker in brokers],
            "moves",
            f"Each cell is {as_span(found.width_ms / 1000)}; a move counts for every broker that"
            " it brings in.",
        )


def _phases(found: Findings) -> Part:
    columns = ("p50_s", "p95_s", "most_s")
    return bars(
        "How long the phases took",
        [f"{row['phase']}{_of(found, row['cluster'])}" for row in found.quantiles],
        {name.removesuffix("_s"): [row[name] for row in found.quantiles] for name in columns},
        "s",
        "Of moves that were done. Half of them took no longer than p50, 95 of 100 no longer than"
        " p95.",
    )


def _spread(found: Findings) -> Iterator[Part]:
    for cluster in found.clusters:
        counts = {
            (row["phase"], row["below_ms"]): row["moves"]
            for row in found.spread
            if row["cluster"] == cluster
        }
        if counts:
            widths = [below_ms for _, below_ms in counts]
            # Every power of two in between, also where there is nothing.
            steps = range(min(widths).bit_length() - 1, max(widths).bit_length())
            yield bars(
                f"How many took how long{_of(found, cluster)}",
                [f"under {as_span((1 << step) / 1000)}" for step in steps],
                {
                    phase: [counts.get((phase, 1 << step), 0) for step in steps]
                    for phase in dict.fromkeys(phase for phase, _ in counts)
                },
                "moves",
                "Of moves that were done, each phase by its length: every bar reaches from half of"
                " what it is called to that.",
            )


def _listed(heading: str, found: Findings, rows: Sequence[Row], note: str) -> Grid:
    table: list[tuple[Cell, ...]] = [
        (
            f"{row['move_id']}{_of(found, row['cluster'])}",
            f"{_ids(row['origin'])} to {_ids(row['target'])}",
            row["source"],
            row["client_id"],
            as_time(row["seen_ms"]),
            None if row["ended_ms"] is None else as_span((row["ended_ms"] - row["seen_ms"]) / 1000),
            row["failovers"],
            row["retries"],
            row["isr_drops"],
            as_bytes(row["bytes"]),
            row["reason"],
        )
        for row in rows
    ]
    return Grid(heading, _COLUMNS, table, note)


def _waves(found: Findings) -> Grid:
    return Grid(
        "How clients paced their moves",
        ("client", "run", "from", "moves", "waves", "pacing", "N", "most under way"),
        [
            (
                f"{row['client_id'] or '-'}{_of(found, row['cluster'])}",
                row["run"],
                as_time(row["first_ms"]),
                row["moves"],
                row["waves"],
                row["pacing"],
                row["batch"],
                row["most_in_flight"],
            )
            for row in found.waves
        ],
        "Accepts of one client without a longer pause are a wave. N is the size of a tool's"
        " portions (--reassignment-batch-size), where the waves show one.",
    )


def _offices(found: Findings) -> Grid:
    return Grid(
        "Terms of office",
        ("cluster", "epoch", "node", "elected", "in office after", "at rest after"),
        [
            (
                cluster,
                office.epoch,
                office.node,
                as_time(office.elected_ms),
                as_span(_since(office.serving_ms, office.elected_ms)),
                as_span(_since(office.settled_ms, office.elected_ms)),
            )
            for cluster, around in found.clusters.items()
            for office in around.offices[-LISTED:]
        ],
        f"The last {LISTED} of each cluster. In office: all is read; at rest: what had to be done"
        " at once is done.",
    )


def _skew(found: Findings) -> Iterator[Part]:
    for cluster in found.clusters:
        rows = [row for row in found.skew if row["cluster"] == cluster and row["broker"] >= 0]
        if rows:
            yield bars(
                f"Who led what was moved{_of(found, cluster)}",
                [row["broker"] for row in rows],
                {
                    "before": [row["led_before"] for row in rows],
                    "after": [row["led_after"] for row in rows],
                },
                "partitions",
                "Of partitions that were moved: their leaders before the first move and after the"
                " last.",
            )


def _of(found: Findings, cluster: str) -> str:
    return f" of {cluster}" if len(found.clusters) > 1 else ""


def _since(at_ms: int | None, start_ms: int) -> float | None:
    return None if at_ms is None else (at_ms - start_ms) / 1000


def _ids(brokers: object) -> str:
    assert isinstance(brokers, list)
    return ", ".join(map(str, brokers))
