"""Command lines: what is refused, in which words and order, and what is understood."""

from pathlib import Path

import pytest
from cli.commands import run as run_process
from reassign.tool import Run, run

from klamm.tools.reassign.command import SUMMARY, UsageError, parse
from klamm.tools.reassign.exits import Exit
from klamm.tools.reassign.options import (
    ACTIONS,
    COMMON,
    ONLY_WITH_SERVER,
    OPTIONS,
    STOCK_ACTIONS,
    Action,
    Dialect,
    Kind,
)

SERVER = ("--bootstrap-server", "h:1")
PLAN = ("--reassignment-json-file", "f")
ONE_ACTION = (
    "Command must include exactly one action: --generate, --execute, --verify, --cancel, --list"
)


def refusal(*words: str) -> str:
    """Run the tool with wrong usage; return the first line of what it says."""
    found = run(*words)
    assert_usage(found)
    return found.err.splitlines()[0]


def readme() -> str:
    """Return the text of README.md without its line ends."""
    return " ".join((Path(__file__).parents[2] / "README.md").read_text().split())


def assert_usage(found: Run) -> None:
    assert (found.status, found.out, found.sent) == (1, "", [])
    assert "--reassignment-json-file <file>" in found.err


def needed(action: Action) -> list[str]:
    """Return a command line with all that an action needs."""
    given = [word for name in action.required for word in (f"--{name}", "x")]
    return [f"--{action.name}", *SERVER, *given]


@pytest.mark.req("R455-53")
@pytest.mark.parametrize(
    "words",
    [SERVER, ("--list", "--verify", *SERVER), ("--execute", "--cancel"), ("--throttle", "1")],
)
def test_exactly_one_action(words: tuple[str, ...]) -> None:
    assert refusal(*words) == ONE_ACTION


@pytest.mark.req("R455-53")
def test_every_stock_action_and_option_is_known() -> None:
    stock = ["generate", "execute", "verify", "cancel", "list"]
    assert [action.name for action in STOCK_ACTIONS] == stock
    options = (
        "additional bootstrap-server broker-list command-config disable-rack-aware help"
        " preserve-throttles reassignment-json-file replica-alter-log-dirs-throttle throttle"
        " timeout topics-to-move-json-file version"
    )
    assert set(options.split()) <= set(OPTIONS)
    for action in ACTIONS.values():
        assert parse(needed(action)).action is action


@pytest.mark.req("R455-54")
@pytest.mark.parametrize("action", ["generate", "execute", "verify", "cancel", "list"])
@pytest.mark.parametrize("dialect", ["3.9", "2.6", "kip-455"])
def test_a_server_is_needed(action: str, dialect: str) -> None:
    said = refusal(f"--{action}", "--dialect", dialect)
    assert said == "Please specify --bootstrap-server"


@pytest.mark.req("R455-55")
def test_zookeeper_in_the_dialect_of_3_9() -> None:
    assert refusal("--list", "--zookeeper", "z") == "zookeeper is not a recognized option"
    assert "--zookeeper" not in run("--help").out


@pytest.mark.req("R455-56")
@pytest.mark.parametrize("dialect", ["2.6", "kip-455"])
@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("--list",), "list"),
        (("--cancel", *PLAN), "cancel"),
        (("--execute", *PLAN, "--additional"), "additional"),
        (("--verify", *PLAN, "--command-config", "c"), "command-config"),
        (("--execute", *PLAN, "--timeout", "1"), "timeout"),
        (
            ("--execute", *PLAN, "--replica-alter-log-dirs-throttle", "1"),
            "replica-alter-log-dirs-throttle",
        ),
    ],
)
def test_what_takes_a_server(dialect: str, words: tuple[str, ...], named: str) -> None:
    said = refusal(*words, "--dialect", dialect, "--zookeeper", "z")
    assert said == f'You must specify --bootstrap-server when using "[{named}]"'


@pytest.mark.req("R455-73")
@pytest.mark.parametrize("action", STOCK_ACTIONS, ids=lambda action: action.name)
def test_options_belong_to_actions(action: Action) -> None:
    for name, option in OPTIONS.items():
        if name in {*action.required, *action.permitted, *COMMON, *ACTIONS, "help", "version"}:
            continue
        if Dialect.KAFKA_3_9 not in option.dialects:
            continue
        words = [w for w in needed(action) if name != "bootstrap-controller" or w not in SERVER]
        value = [] if option.kind is Kind.FLAG else ["1"]
        said = refusal(*words, f"--{name}", *value)
        assert said == f'Option "[{name}]" can\'t be used with action "[{action.name}]"'


@pytest.mark.req("R455-73")
@pytest.mark.parametrize("action", STOCK_ACTIONS, ids=lambda action: action.name)
def test_a_missing_option_is_named(action: Action) -> None:
    for index, name in enumerate(action.required):
        before = [w for other in action.required[:index] for w in (f"--{other}", "x")]
        said = refusal(f"--{action.name}", *SERVER, *before)
        assert said == f'Missing required argument "[{name}]"'


def test_the_first_wrong_option_of_the_line_is_named() -> None:
    words = ("--list", *SERVER, "--timeout", "1", "--additional")
    assert refusal(*words) == 'Option "[timeout]" can\'t be used with action "[list]"'


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--lis", *SERVER), "lis is not a recognized option"),
        (("--list", "--bootstrap-server"), "Option bootstrap-server requires an argument"),
        (
            ("--list", *SERVER, *SERVER),
            "Found multiple arguments for option bootstrap-server, but you asked for only one",
        ),
        (
            ("--execute", *SERVER, *PLAN, "--throttle", "x"),
            "Cannot parse argument 'x' of option throttle",
        ),
        (
            ("--execute", *SERVER, *PLAN, "--timeout", str(2**63)),
            f"Cannot parse argument '{2**63}' of option timeout",
        ),
        (("--list=1", *SERVER), "Option list takes no argument, and was given '1'"),
        (
            ("--list", *SERVER, "--bootstrap-controller", "c"),
            "Please don't specify both --bootstrap-server and --bootstrap-controller",
        ),
        (
            ("--execute", *PLAN, "--bootstrap-controller", "c"),
            'Option "[bootstrap-controller]" can\'t be used with action "[execute]"',
        ),
        (
            ("--list", *SERVER, "--dialect", "4"),
            "--dialect is '4', and must be 3.9, 2.6, kip-455, kip-179-alter, kip-179-assign",
        ),
    ],
)
def test_wrong_words(words: tuple[str, ...], said: str) -> None:
    assert refusal(*words) == said


def test_whoever_writes_a_plan_of_moves_cancels_nothing() -> None:
    words = ("--cancel", *SERVER, "--write-plan", "w")
    assert parse(words).text("write-plan") == "w"
    for more in (PLAN, ("--preserve-throttles",), ("--timeout", "1")):
        name = more[0].removeprefix("--")
        said = f'Option "[write-plan]" can\'t be used with option "[{name}]"'
        assert refusal(*words, *more) == said


def test_no_option_is_lost_on_the_way_through_zookeeper() -> None:
    """What that way cannot do is refused; the rest is done, or says nothing without a batch."""
    done = {"disable-rack-aware", "zookeeper", "throttle", "preserve-throttles"}
    of_batches = {
        "deadline-ms",
        "incremental",
        "pause-when-unhealthy",
        "reassignment-poll-interval-ms",
    }
    for name in ("generate", "execute", "verify"):
        left = ACTIONS[name].permitted - {*ONLY_WITH_SERVER}
        assert left <= done | of_batches


def test_ways_to_write_options() -> None:
    command = parse(
        ["-verify", "--bootstrap-server=a:1", "--reassignment-json-file", "--", "-json"]
    )
    assert command.action.name == "verify"
    assert command.text("bootstrap-server") == "a:1"
    assert command.text("reassignment-json-file") == "--"
    assert command.has("json")
    assert not command.has("preserve-throttles")
    command = parse(["--execute", *SERVER, *PLAN, "--throttle", "-5", "word", "--", "--list"])
    assert (command.number("throttle"), command.number("timeout")) == (-5, 10_000)
    assert command.ignored == ("word", "--list")


def test_help_and_version() -> None:
    found = run()
    assert_usage(found)
    assert found.err.startswith(SUMMARY + "\n")
    for words in (("--help",), ("--list", "--help"), ("--help", "--dialect", "2.6")):
        found = run(*words)
        assert (found.status, found.err) == (0, "")
        assert found.out.startswith(SUMMARY + "\n")
    assert run("--version").out.startswith("klamm ")


@pytest.mark.req("R455-103")
def test_help_says_that_zookeeper_goes() -> None:
    words = run("--help", "--dialect", "2.6").out.split()
    text = " ".join(words[words.index("--zookeeper") :])
    assert "Deprecated, and will be removed in a later version" in text
    assert "The way through ZooKeeper is deprecated, and will be removed in a later" in readme()


@pytest.mark.req("R455-106")
def test_help_says_that_there_is_no_limit_for_reassignments_alone() -> None:
    text = " ".join(run("--help").out.split())
    assert "A limit for the traffic of reassignments alone (future work of KIP-455)" in text
    assert "is not offered" in text
    assert "a limit for the traffic of reassignments alone, which KIP-455 leaves to" in readme()


def test_no_line_of_the_help_is_too_long() -> None:
    for dialect in Dialect:
        lines = run("--help", "--dialect", dialect.value).out.splitlines()
        assert max(map(len, lines)) <= 100


def test_own_actions_have_their_own_exit_code_for_wrong_usage() -> None:
    """One table says which codes there are; the stock ones know 0 and 1 only."""
    for action in ACTIONS.values():
        with pytest.raises(UsageError) as caught:
            parse([f"--{action.name}"])
        assert caught.value.status is (Exit.USAGE if action.ours else Exit.FAILED)


@pytest.mark.parametrize("name", ["reassign", "reassign-partitions"])
def test_the_command_takes_its_words_as_they_are(name: str, tmp_path: Path) -> None:
    status, output = run_process(tmp_path, name, "--list", "--", "--bootstrap-server", "x")
    assert (status, output.splitlines()[0]) == (1, "Please specify --bootstrap-server")
