"""Evidence: what is measured is what happens, the same for the same seed, and nothing is lost."""

import json
import os
import subprocess
import sys
from dataclasses import replace

import pytest
from click.testing import CliRunner, Result

from klamm.controller.core.model import NO_LEADER, TopicPartition
from klamm.controller.core.pace import UNLIMITED, Limits
from klamm.protocol.generated.incremental_alter_configs_request import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from klamm.tools.cli import _evidence
from klamm.tools.cli._evidence import submit
from klamm.tools.cli.lab import command
from klamm.tools.lab.clients import AskFor
from klamm.tools.lab.events import Violation
from klamm.tools.lab.evidence.incidents import AWAY, PAUSE, Incident
from klamm.tools.lab.evidence.metered import MeteredWorld
from klamm.tools.lab.evidence.policies import Policy, policies, stepwise
from klamm.tools.lab.evidence.port import Port, RefusedError
from klamm.tools.lab.evidence.reading import sentences
from klamm.tools.lab.evidence.runs import BrokenError, carry_out, carry_out_in
from klamm.tools.lab.evidence.site import MB, Site, Size
from klamm.tools.lab.evidence.table import MEANINGS, as_json, lines, story

LIMITS = (Limits(1, 2, 1), Limits(2, 3, 2), Limits(1))
WAYS = policies(2, LIMITS[:1])
#: Two topics of three partitions, one with three replicas each and one with four.
SMALL = Size(topics=2, partitions=3, least_bytes=50 * MB, most_bytes=100 * MB)
#: One partition of 100 MB to which nobody writes, copied at 5 MB/s.
ONE = Size(
    old=1,
    topics=1,
    partitions=1,
    replicas=1,
    wide=0,
    least_bytes=100 * MB,
    most_bytes=100 * MB,
    busy=((1.0, 0.0),),
    copy_rate=5.0 * MB,
    min_in_sync=1,
)
NAME = TopicPartition("t00", 0)


def started(size: Size) -> tuple[MeteredWorld, Port]:
    """Open a world, and submit its whole plan."""
    world = MeteredWorld(Site(0, size), checked=True)
    port = Port(world)
    port.configure(Policy("all at once"), size.min_in_sync)
    port.submit(world.site.plan)
    return world, port


# --- all of it -----------------------------------------------------------------------------------


AT_ONCE, _, INCREMENTAL, IN_STEPS = WAYS


@pytest.mark.parametrize(
    ("incident", "policy"),
    [
        *((Incident.CANCEL, policy) for policy in WAYS),
        *((Incident.NEW, policy) for policy in (AT_ONCE, INCREMENTAL, IN_STEPS)),
        (Incident.OLD, IN_STEPS),
        (Incident.NONE, IN_STEPS),
    ],
)
def test_no_byte_is_lost_and_no_invariant_broken(incident: Incident, policy: Policy) -> None:
    world = MeteredWorld(Site(1, SMALL), checked=True)
    measured = carry_out_in(world, policy, incident, submit).measured
    assert measured.seconds is not None
    for name, replicas in world.site.plan.items():
        assert world.topics[name.topic].partitions[name.partition] == replicas
    meter, left = world.metered, sum(world.cluster.replication.added.values())
    fetched = sum(each.adding for each in world.cluster.replication.fetched.values())
    assert measured.copied == fetched == meter.kept + meter.thrown + left
    assert measured.again == meter.thrown
    assert measured.copied >= world.site.needed + measured.again
    if incident is not Incident.CANCEL:
        assert measured.again == 0


@pytest.mark.parametrize("policy", WAYS, ids=lambda policy: policy.name)
def test_without_producers_exactly_what_is_needed_is_copied(policy: Policy) -> None:
    site = Site(2, replace(SMALL, busy=((1.0, 0.0),)))
    measured = carry_out(site, policy, Incident.NONE, submit).measured
    assert (measured.copied, measured.again) == (site.needed, 0)
    assert (measured.worst_wait, measured.under_min_isr) == (0.0, 0.0)


@pytest.mark.req("R435-10")
@pytest.mark.parametrize("limits", LIMITS, ids=lambda limits: stepwise(limits).name)
def test_limits_are_never_exceeded(limits: Limits) -> None:
    site = Site(3, SMALL)
    measured = carry_out(site, stepwise(limits), Incident.NEW, submit).measured
    partitions = min(limits.partitions, len(site.plan))
    assert 0 < measured.adding <= limits.replicas * partitions


def test_the_tool_holds_back_as_it_does_anywhere() -> None:
    site = Site(3, SMALL)
    at_once, steps, incremental = (
        carry_out(site, policy, Incident.NONE, submit) for policy in WAYS[:3]
    )
    assert [count for _, count in at_once.submits] == [6]
    assert [count for _, count in steps.submits] == [2, 2, 2]
    assert incremental.submits[0] == (0.0, 2)
    assert sum(count for _, count in incremental.submits) == 6
    assert all(at == round(at) for at, _ in incremental.submits), "it looks every second"
    assert steps.measured.adding <= 2 * 4 and incremental.measured.adding <= 2 * 4


def told(hash_seed: str) -> str:
    code = (
        "import json\n"
        "from klamm.tools.cli._evidence import submit\n"
        "from klamm.tools.lab.evidence.incidents import Incident\n"
        "from klamm.tools.lab.evidence.policies import policies\n"
        "from klamm.tools.lab.evidence.runs import carry_out\n"
        "from klamm.tools.lab.evidence.site import MB, Site, Size\n"
        "from klamm.tools.lab.evidence.table import as_json, lines\n"
        "size = Size(topics=2, partitions=3, least_bytes=50 * MB, most_bytes=100 * MB)\n"
        "site = Site(4, size)\n"
        "ways = policies(2)[2:4]\n"
        "runs = [carry_out(site, each, Incident.NEW, submit) for each in ways]\n"
        "print(*lines(runs), json.dumps(as_json(site, runs, [])), sep='\\n')\n"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        timeout=120,
    )
    return done.stdout


def test_the_same_seed_gives_the_same_table_in_every_process() -> None:
    assert told("1") == told("4711")


def test_another_seed_is_another_cluster() -> None:
    assert Site(0, SMALL).rates != Site(1, SMALL).rates
    assert Site(0, SMALL).topic_bytes != Site(1, SMALL).topic_bytes


def test_a_few_partitions_are_busy() -> None:
    rates = sorted(Site(0).rates.values(), reverse=True)
    assert len(rates) == 96
    assert rates.count(2.0 * MB) == 5
    assert rates.count(0.4 * MB) == 15


# --- each measure, by hand -----------------------------------------------------------------------


def test_one_partition_takes_as_long_as_its_bytes() -> None:
    world, port = started(ONE)
    port.sleep(30.0)
    measured = world.metered.result(world, world.ended_at - 1.0)
    # 100 MB at 5 MB/s, and both replicas are there when the copy is whole.
    assert measured.seconds == pytest.approx(20.0)
    assert (measured.peak_in, measured.peak_out) == (5.0 * MB, 5.0 * MB)
    assert (measured.copied, measured.again, measured.adding) == (100 * MB, 0, 1)
    assert measured.extra_disk == 100 * MB
    assert (measured.worst_wait, measured.under_min_isr) == (0.0, 0.0)


def test_two_copies_are_the_load_of_two() -> None:
    world, port = started(replace(ONE, partitions=2))
    port.sleep(30.0)
    measured = world.metered.result(world, None)
    assert (measured.peak_in, measured.peak_out, measured.adding) == (10.0 * MB, 10.0 * MB, 2)
    assert measured.extra_disk == 200 * MB


def test_what_a_cancel_throws_away_was_copied_for_nothing() -> None:
    world, port = started(ONE)
    port.sleep(10.0)
    port.submit({NAME: None})
    port.sleep(10.0)
    measured = world.metered.result(world, None)
    assert (measured.copied, measured.again) == (50 * MB, 50 * MB)
    assert measured.extra_disk == 50 * MB


def crowded() -> tuple[MeteredWorld, Port]:
    """Let a leader have 6 MB/s for a follower and two copies, all of which want 4 and get 2."""
    size = replace(
        ONE, old=2, replicas=2, busy=((1.0, 4.0 * MB),), bandwidth=6.0 * MB, min_in_sync=2
    )
    return started(size)


def setting(kind: int, name: str, **values: str) -> AskFor:
    """Ask for configs of a topic (2) or of brokers (4), with _ for a dot."""
    configs = tuple(
        AlterableConfig(key.replace("_", "."), 0, value) for key, value in values.items()
    )
    resource = AlterConfigsResource(kind, name, configs)
    return AskFor(f"throttle {name}", 1, IncrementalAlterConfigsRequest((resource,)))


@pytest.mark.req("R435-63")
@pytest.mark.parametrize("limits", [Limits(), Limits(1, 1, 1)], ids=["at once", "in steps"])
def test_a_throttle_slows_a_move_whether_in_steps_or_not(limits: Limits) -> None:
    world = MeteredWorld(Site(0, ONE), checked=True)
    port = Port(world)
    port.configure(Policy("throttled", limits=limits), 1)
    world.told(setting(2, "t00", follower_replication_throttled_replicas="*"))
    world.told(setting(4, "", follower_replication_throttled_rate="2000000"))
    port.submit(world.site.plan)
    port.sleep(60.0)
    measured = world.metered.result(world, world.ended_at - 1.0)
    # 100 MB at 2 MB/s, where 5 would be possible.
    assert not world.moving
    assert measured.seconds == pytest.approx(50.0)
    assert measured.peak_in == pytest.approx(2.0 * MB)


def test_records_wait_for_a_member_that_lags() -> None:
    world, port = crowded()
    port.sleep(20.0)
    # Of the records of 20 seconds it has half.
    assert world.metered.worst_wait == pytest.approx(10.0)
    assert world.metered.under_min_isr == 0.0
    assert len(world.states[NAME].isr) == 2


def test_a_partition_below_min_isr_counts_as_long_as_it_is() -> None:
    world, port = crowded()
    while len(world.states[NAME].isr) == 2:
        port.sleep(1.0)
    before, waited = world.metered.under_min_isr, world.metered.worst_wait
    assert before <= 1.0
    # A member that has not caught up for more than 30 seconds leaves, at one of the looks at it,
    # which come every 15: nobody waits for it after that.
    assert 15.0 < waited <= 22.5
    port.sleep(10.0)
    assert world.metered.under_min_isr - before == pytest.approx(10.0)
    assert world.metered.worst_wait == waited


def test_a_partition_without_a_leader_counts_as_well() -> None:
    world, port = started(ONE)
    port.sleep(5.0)
    assert world.metered.under_min_isr == 0.0
    world.do("kill b1")
    world.settle()
    assert world.states[NAME].leader == NO_LEADER
    port.sleep(7.0)
    assert world.metered.under_min_isr == pytest.approx(7.0)


def test_what_the_cluster_refuses_is_told() -> None:
    world = MeteredWorld(Site(0, ONE))
    with pytest.raises(RefusedError, match="t00-0: 39"):
        Port(world).submit({NAME: (9,)})


def test_a_copy_rate_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match=r"a copy rate is 0.0: it must be more than 0 bytes/s"):
        MeteredWorld(Site(0, replace(ONE, copy_rate=0.0)))


def test_a_tool_that_ends_with_an_error_is_started_again() -> None:
    # Two of four partitions are done when broker 3 fails, to which the third is to go: of the next
    # two it is refused (code 39), and then minute after minute, until the broker is back.
    size = replace(ONE, old=2, partitions=4)
    run = carry_out(Site(0, size), Policy("in twos", batch=2), Incident.NEW, submit)
    assert run.restarts == AWAY // PAUSE
    assert [count for _, count in run.submits] == [2, 2, 1, 1, 1]
    assert run.measured.seconds is not None and run.measured.seconds > AWAY


def test_a_broken_invariant_ends_the_measurement() -> None:
    world = MeteredWorld(Site(0, ONE))
    world.violation = Violation("I1", 3, "planted")
    with pytest.raises(BrokenError, match="I1 at step 3: planted"):
        carry_out_in(world, Policy("all at once"), Incident.NONE, submit)


# --- the command ---------------------------------------------------------------------------------


def evidence(*arguments: str) -> Result:
    return CliRunner().invoke(command, ["evidence", *arguments])


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_evidence, "Site", lambda seed: Site(seed, SMALL))


@pytest.mark.usefixtures("small")
def test_the_command_prints_what_was_measured() -> None:
    site, ways = Site(5, SMALL), policies(2, (Limits(1),))
    runs = [carry_out(site, way, Incident.CANCEL, submit) for way in ways]
    asked = ("--seed", "5", "--incident", "cancel", "--batch", "2")
    result = evidence(*asked, "--limits", "1/inf/INF")
    assert result.exit_code == 0, result.output
    read = sentences(runs)
    assert result.stdout.splitlines() == [story(site, ways), "", *lines(runs), *MEANINGS, "", *read]
    assert result.stderr.splitlines()[0] == "1 of 4: all is cancelled, all at once"
    assert max(map(len, lines(runs))) <= 110
    result = evidence(*asked, "--limits", "1/INF/INF", "--json")
    assert json.loads(result.stdout) == as_json(site, runs, read)


@pytest.mark.parametrize("limits", ["1/2", "0/1/1", "a/b/c", f"1/{UNLIMITED + 1}/1"])
def test_limits_that_are_none_are_refused(limits: str) -> None:
    result = evidence("--limits", limits)
    assert result.exit_code == 2
    assert f"{limits!r} is not three numbers from 1 on, or INF, such as 1/10/5" in result.output


def test_limits_that_limit_nothing_are_refused() -> None:
    result = evidence("--limits", "INF/INF/INF")
    assert result.exit_code == 2
    assert "limits nothing: that is all at once" in result.output
