"""The dialects of KIP-179: what their command lines take, refuse and explain."""

from __future__ import annotations

import pytest
from reassign.tool import run

from klamm.tools.reassign.command import parse
from klamm.tools.reassign.exits import Exit
from klamm.tools.reassign.option import Action, Dialect
from klamm.tools.reassign.options import COMMON, OPTIONS, OWN_ACTIONS, STOCK_ACTIONS, actions

SERVER = ("--bootstrap-server", "h:1")
ZOOKEEPER = ("--zookeeper", "z")
PLAN = ("--reassignment-json-file", "f")
ALTER = ("--dialect", "kip-179-alter")
ASSIGN = ("--dialect", "kip-179-assign")

dialects = pytest.mark.parametrize("dialect", [ALTER, ASSIGN], ids=lambda words: words[1])


def refusal(*words: str) -> str:
    """Run the tool with wrong usage; return the first line of what it says."""
    return complaint(*words)[0]


def complaint(*words: str) -> list[str]:
    """Run the tool with wrong usage; return what it says before the help."""
    found = run(*words)
    assert (found.status, found.out, found.sent) == (1, "", [])
    assert "--reassignment-json-file <file>" in found.err
    lines = found.err.splitlines()
    [head] = [index for index, line in enumerate(lines) if line.startswith("Option   ")]
    return lines[:head]


@pytest.mark.req("R179B-14")
@dialects
def test_there_are_six_actions(dialect: tuple[str, str]) -> None:
    said = (
        "Command must include exactly one action: --generate, --execute, --verify, --cancel,"
        " --list, --progress"
    )
    assert refusal(*SERVER, *dialect) == said
    assert refusal("--list", "--progress", *SERVER, *dialect) == said


@pytest.mark.req("R179A-2", "R179B-13")
@dialects
@pytest.mark.parametrize("action", ["list", "execute", "verify", "progress"])
def test_both_connections_are_an_error(dialect: tuple[str, str], action: str) -> None:
    assert refusal(f"--{action}", *PLAN, *SERVER, *ZOOKEEPER, *dialect) == (
        'Option "[bootstrap-server]" can\'t be used with option "[zookeeper]"'
    )


@pytest.mark.req("R179A-4")
def test_progress_of_a_plan_takes_the_plan() -> None:
    assert refusal("--progress", *SERVER, *ALTER) == (
        'Missing required argument "[reassignment-json-file]"'
    )
    assert refusal("--progress", *PLAN, *ALTER) == "Please specify --bootstrap-server"


@pytest.mark.req("R179A-5", "R179B-12")
@dialects
def test_progress_takes_no_zookeeper(dialect: tuple[str, str]) -> None:
    said = 'Option "[progress]" can\'t be used with option "[zookeeper]"'
    assert refusal("--progress", *PLAN, *ZOOKEEPER, *dialect) == said
    assert refusal("--progress", *ZOOKEEPER, *dialect) == said


@pytest.mark.req("R179B-12")
def test_an_id_takes_no_zookeeper() -> None:
    assert refusal("--execute", *PLAN, "--request", "1", *ZOOKEEPER, *ASSIGN) == (
        'Option "[request]" can\'t be used with option "[zookeeper]"'
    )
    assert refusal("--progress", "--request", "1", *ASSIGN) == "Please specify --bootstrap-server"


@pytest.mark.req("R179B-10")
@pytest.mark.parametrize("action", STOCK_ACTIONS, ids=lambda action: action.name)
def test_an_id_belongs_to_progress(action: Action) -> None:
    files = [word for each in action.required for word in (f"--{each}", "1")]
    assert refusal(f"--{action.name}", *SERVER, *files, "--request", "1", *ASSIGN) == (
        f'Option "[request]" can\'t be used with action "[{action.name}]"'
    )


@pytest.mark.req("R179B-10")
@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("x", "Cannot parse argument 'x' of option request"),
        ("", "Cannot parse argument '' of option request"),
        ("2147483648", "Cannot parse argument '2147483648' of option request"),
        ("0", "--request must be greater than 0"),
        ("-1", "--request must be greater than 0"),
    ],
)
def test_an_id_is_a_positive_number(given: str, said: str) -> None:
    assert refusal("--progress", *SERVER, "--request", given, *ASSIGN) == said


def test_an_id_is_known_in_its_dialect_only() -> None:
    for dialect in Dialect:
        words = ("--list", *SERVER, "--dialect", dialect.value, "--request", "1")
        known = dialect is Dialect.KIP_179_ASSIGN
        assert (refusal(*words) == "request is not a recognized option") is not known


def test_the_other_dialect_says_whose_the_id_is() -> None:
    assert complaint("--progress", *PLAN, *SERVER, "--request", "1", *ALTER) == [
        "request is not a recognized option",
        (
            "--request belongs to --dialect kip-179-assign; here --progress takes"
            " --reassignment-json-file."
        ),
    ]
    stock = ("--dialect", "3.9")
    assert complaint("--list", *SERVER, "--request", "1", *stock) == [
        "request is not a recognized option"
    ]


@dialects
@pytest.mark.parametrize("option", ["deadline-ms", "interval-ms"])
def test_progress_does_not_watch(dialect: tuple[str, str], option: str) -> None:
    plan = PLAN if dialect is ALTER else ()
    assert refusal("--progress", *plan, *SERVER, f"--{option}", "5", *dialect) == (
        f'Option "[{option}]" can\'t be used with action "[progress]"'
    )


def test_progress_of_a_request_takes_no_plan() -> None:
    assert complaint("--progress", *PLAN, *SERVER, *ASSIGN) == [
        'Option "[reassignment-json-file]" can\'t be used with action "[progress]"',
        (
            "In this dialect --progress tells of a request: give --request ID, the number that"
            " --execute has printed, or nothing for the newest."
        ),
    ]


def test_progress_watches_in_every_other_dialect() -> None:
    for dialect in (Dialect.KAFKA_3_9, Dialect.KAFKA_2_6, Dialect.KIP_455):
        command = parse(["--progress", *SERVER, "--interval-ms", "5", "--dialect", dialect.value])
        assert command.action in OWN_ACTIONS
        found = run("--progress", "--dialect", dialect.value)
        assert found.status == Exit.USAGE


@pytest.mark.req("R179A-12", "R179B-15")
@dialects
def test_other_options_keep_their_meaning(dialect: tuple[str, str]) -> None:
    """Each action but --progress takes what it takes in dialect 2.6, the last with a ZooKeeper."""
    mine, stock = actions(Dialect(dialect[1])), actions(Dialect.KAFKA_2_6)
    assert {**mine, "progress": None} == {**stock, "progress": None}
    unknown = {
        name for name, option in OPTIONS.items() if Dialect(dialect[1]) not in option.dialects
    }
    assert unknown == ({"request"} if dialect is ALTER else set())
    assert {"throttle", "additional", "timeout"} <= stock["execute"].permitted
    assert {"json", "command-config"} <= COMMON


@pytest.mark.req("R179B-16")
@dialects
def test_the_help_shows_how_rights_are_given(dialect: tuple[str, str]) -> None:
    text = " ".join(run("--help", *dialect).out.split())
    assert (
        "kafka-acls --bootstrap-server localhost:9092 --command-config admin.properties --add \\"
        " --allow-principal User:Alice --allow-principal User:Bob \\"
        " --allow-host 198.51.100.0 --allow-host 198.51.100.1 \\"
        " --operation ClusterAction --cluster"
    ) in text


@pytest.mark.req("R179A-14", "R179A-53", "R179B-51")
@dialects
def test_the_help_says_that_zookeeper_goes_later(dialect: tuple[str, str]) -> None:
    text = " ".join(run("--help", *dialect).out.split())
    assert "Deprecated, and will be removed in a later version" in text
    assert (
        "--zookeeper still works, and warns. It goes in a later release, which has no number yet;"
        " --bootstrap-server replaces it."
    ) in text


@dialects
def test_the_help_says_what_the_server_does_not_do(dialect: tuple[str, str]) -> None:
    text = " ".join(run("--help", *dialect).out.split())
    assert (
        "--additional Change the throttle of the plan that moves. The server starts nothing while"
        " anything moves, with this option or without."
    ) in text
    assert "a property of each klamm node that counts from its next start." in text


def test_the_help_tells_the_actions_apart() -> None:
    def progress(*words: str) -> str:
        lines = run("--help", *words).out.splitlines()
        [first] = [index for index, line in enumerate(lines) if line.startswith("--progress ")]
        return " ".join(lines[first : first + 2])

    assert "Watch the moves" in progress()
    assert "how far each replica of --reassignment-json-file" in " ".join(progress(*ALTER).split())
    assert "how far each replica of a request is" in " ".join(progress(*ASSIGN).split())
    assert "ClusterAction" not in run("--help").out
