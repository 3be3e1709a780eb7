"""The options for plans in portions: what belongs together, and what the help says."""

import pytest
from reassign.tool import run

from klamm.tools.reassign.command import parse
from klamm.tools.reassign.options import OPTIONS, Kind
from klamm.tools.reassign.pacing import Order, Pacing

SERVER = ("--bootstrap-server", "127.0.0.1:1")
EXECUTE = ("--execute", *SERVER, "--reassignment-json-file", "f")
SIZE, POLL = "--reassignment-batch-size", "--reassignment-poll-interval-ms"
NEEDED = {
    "list": (),
    "generate": ("--topics-to-move-json-file", "f", "--broker-list", "1"),
    "verify": ("--reassignment-json-file", "f"),
    "cancel": ("--reassignment-json-file", "f"),
}
ONLY_EXECUTE = [
    (SIZE, "3"),
    ("--incremental",),
    (POLL, "5"),
    ("--wait",),
    ("--deadline-ms", "5"),
    ("--order", "sorted"),
    ("--pause-when-unhealthy",),
    ("--resume",),
]


@pytest.mark.req("R1335-1", "R1335-2", "R1335-3")
def test_defaults_and_values() -> None:
    assert parse(EXECUTE).pacing == Pacing(0, incremental=False, poll_interval_ms=1000)
    given = parse([*EXECUTE, SIZE, "7", "--incremental", POLL, str(2**40)])
    assert given.pacing == Pacing(7, incremental=True, poll_interval_ms=2**40)
    kinds = [OPTIONS[name.removeprefix("--")].kind for name in (SIZE, "--incremental", POLL)]
    assert kinds == [Kind.INT, Kind.FLAG, Kind.LONG]
    text = " ".join(run("--help").out.split())
    for said in (f"{SIZE} <partitions>", "--incremental With a batch size", f"{POLL} <ms>"):
        assert said in text
    assert text.count("(default: 0)") == 1
    assert "(default: 1000)" in text


def test_our_own_values() -> None:
    words = (SIZE, "2", "--wait", "--deadline-ms", "9", "--order", "small-first")
    assert parse([*EXECUTE, *words, "--pause-when-unhealthy", "--resume"]).pacing == Pacing(
        2,
        order=Order.SMALL_FIRST,
        wait=True,
        deadline_ms=9,
        pause_when_unhealthy=True,
        resume=True,
    )


@pytest.mark.req("R1335-4")
@pytest.mark.parametrize("action", NEEDED)
@pytest.mark.parametrize("words", ONLY_EXECUTE, ids=lambda words: words[0])
def test_only_with_execute(action: str, words: tuple[str, ...]) -> None:
    found = run(f"--{action}", *SERVER, *NEEDED[action], *words)
    assert (found.status, found.out, found.sent) == (1, "", [])
    name = words[0].removeprefix("--")
    assert found.err.splitlines()[0] == (
        f'Option "[{name}]" can\'t be used with action "[{action}]"'
    )


BATCH_NEEDED = " requires --reassignment-batch-size to be greater than 0"
NO_WAITING = "--deadline-ms requires --wait or --reassignment-batch-size"


@pytest.mark.req("R1335-5", "R1335-6", "R1335-7", "R1335-9", "R1335-36")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((SIZE, "-1"), f"{SIZE} must be greater than or equal to 0"),
        ((SIZE, "3", POLL, "0"), f"{POLL} must be greater than 0"),
        ((POLL, "-1000"), f"{POLL} must be greater than 0"),
        (("--incremental",), "--incremental" + BATCH_NEEDED),
        (("--incremental", SIZE, "0"), "--incremental" + BATCH_NEEDED),
        ((SIZE, "x"), "Cannot parse argument 'x' of option reassignment-batch-size"),
        ((SIZE, "2147483648"), "Cannot parse argument '2147483648' of option"),
        ((POLL, "1.5"), "Cannot parse argument '1.5' of option"),
        ((SIZE, "1", "--wait", "--deadline-ms", "0"), "--deadline-ms must be greater than 0"),
        (("--deadline-ms", "5"), NO_WAITING),
        (("--pause-when-unhealthy",), "--pause-when-unhealthy" + BATCH_NEEDED),
        (("--order", "file"), "--order is 'file', and must be sorted, small-first"),
    ],
)
def test_argument_mixes(words: tuple[str, ...], said: str) -> None:
    """All are refused before anything is connected to or read."""
    found = run(*EXECUTE, *words)
    assert (found.status, found.out, found.sent) == (1, "", [])
    assert found.err.startswith(said)
    assert "--reassignment-json-file <file>" in found.err


@pytest.mark.parametrize("words", [(SIZE, "3"), ("--wait",), ("--resume",), ("--order", "sorted")])
def test_zookeeper_alone_knows_no_portions(words: tuple[str, ...]) -> None:
    found = run(
        "--execute", "--dialect", "2.6", "--zookeeper", "z", "--reassignment-json-file", "f", *words
    )
    name = words[0].removeprefix("--")
    assert (found.status, found.out) == (1, "")
    assert found.err.startswith(f'You must specify --bootstrap-server when using "[{name}]"')


@pytest.mark.req("R1335-35")
def test_the_help_explains_portions() -> None:
    text = run("--help").out
    words = " ".join(text.split())
    for said in (
        f"{SIZE} 0 All at once",
        f"{SIZE} N In steps",
        "--incremental N in flight",
        "--additional only lifts the check",
        "The last group is not awaited",
        "run --verify until every partition is completed",
    ):
        assert said in words
    example = text[text.index("Example: P1 to P10, N = 3") :]
    for said in (
        "0: P1-P10 ",
        "0: P1,P2,P3  10000: P4,P5,P6  12000: P7,P8,P9  14000: P10 ",
        "0: P1,P2,P3  1000: P4  2000: P5  3000: P6  4000: P7  5000: P8  6000: P9\n",
        "7000: P10 ",
    ):
        assert said in example


@pytest.mark.req("R1335-33")
def test_what_the_proposal_rejects_is_not_offered() -> None:
    """No limit for the cluster, no merging of runs, no submitting in the order of the file."""
    assert OPTIONS["order"].choices == ("sorted", "small-first")
    offered = {name for name in OPTIONS if any(w in name for w in ("max", "limit", "merge"))}
    assert not offered
    words = " ".join(run("--help").out.split())
    assert "cluster-wide" not in words
    assert "never that of the file" in words
