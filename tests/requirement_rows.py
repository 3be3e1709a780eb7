"""The marker `req`: ties tests to requirement rows and reports what each row's tests came to.

A row has passed when at least one test names it and every test that names it ran and passed.
`--req-report FILE` writes one line per row; the terminal shows the counts and every failed row.
"""

from collections import Counter, defaultdict
from pathlib import Path

import pytest

#: Rows per proposal; ids run from 1 without gaps.
ROWS = {"R455": 114, "R435": 64, "R179A": 53, "R179B": 51, "R1335": 41}
_PROPERTY = "requirement row"
ALL_ROWS = [f"{name}-{number}" for name, rows in ROWS.items() for number in range(1, rows + 1)]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--req-report", type=Path, help="write every requirement row's state here")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(RequirementRows(config.getoption("--req-report")), "req-rows")


class RequirementRows:
    """Collects outcomes by row during one pytest run."""

    def __init__(self, report: Path | None) -> None:
        self._report = report
        self._outcomes: dict[str, set[str]] = defaultdict(set)

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        known = set(ALL_ROWS)
        for item in items:
            rows = tuple(row for mark in item.iter_markers("req") for row in mark.args)
            for row in rows:
                if row not in known:
                    raise pytest.UsageError(
                        f"{item.nodeid}: no requirement row {row!r}; rows look like 'R455-10', "
                        f"and there are {', '.join(f'{p}-1 to {p}-{n}' for p, n in ROWS.items())}"
                    )
            # What is kept at the test comes with its reports, from another process, too.
            item.user_properties.extend((_PROPERTY, row) for row in rows)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" or report.outcome != "passed":
            for name, row in report.user_properties:
                if name == _PROPERTY:
                    self._outcomes[str(row)].add(report.outcome)

    def state(self, row: str) -> str:
        """Return passed, failed or not run; a skipped test leaves its row not run."""
        outcomes = self._outcomes[row]
        if "failed" in outcomes:
            return "failed"
        return "passed" if outcomes == {"passed"} else "not run"

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        states = {row: self.state(row) for row in ALL_ROWS}
        if self._report:
            self._report.parent.mkdir(parents=True, exist_ok=True)
            self._report.write_text("".join(f"{row}\t{state}\n" for row, state in states.items()))
        counts = dict.fromkeys(("passed", "failed", "not run"), 0) | Counter(states.values())
        if counts["passed"] or counts["failed"]:
            line = ", ".join(f"{count} {name}" for name, count in counts.items())
            terminalreporter.write_line(f"requirement rows: {line}")
        for row, state in states.items():
            if state == "failed":
                terminalreporter.write_line(f"requirement row failed: {row}", red=True)
