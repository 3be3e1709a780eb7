"""Programs that use the client as it is not meant to be used."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import Future

import pytest

from klamm.tools.admin import (
    Admin,
    AdminOptions,
    ConfigResource,
    OptionError,
    ResourceType,
    errors,
)
from klamm.tools.cli._cluster import LocalCluster

PATIENCE = 60.0

UNCLOSED = """
import sys
from klamm.tools.admin import Admin
admin = Admin.connect(sys.argv[1])
admin.list_topics().result()
print(admin.describe_cluster().result().cluster_id is not None)
"""


def test_a_program_that_forgets_to_close_ends_all_the_same(local: LocalCluster) -> None:
    words = [sys.executable, "-P", "-X", "dev", "-W", "error", "-c", UNCLOSED, local.bootstrap]
    ended = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "True\n", "")


def test_a_callback_cannot_close_its_client_and_others_still_can(local: LocalCluster) -> None:
    admin = Admin.connect(local.bootstrap)
    outcome: Future[None] = Future()

    def close(_: Future[tuple[str, ...]]) -> None:
        try:
            admin.close()
        except RuntimeError as error:
            outcome.set_exception(error)

    with admin:
        admin.list_topics().add_done_callback(close)
        with pytest.raises(RuntimeError, match="another thread"):
            outcome.result(PATIENCE)
        admin.describe_cluster().result(PATIENCE)
    with pytest.raises(errors.ClosedError):
        admin.list_topics()


@pytest.mark.parametrize(
    "call",
    [
        lambda admin: admin.describe_topics("ab"),
        lambda admin: admin.delete_topics("ab"),
        lambda admin: admin.describe_user_scram_credentials("ab"),
        lambda admin: admin.list_partition_reassignments("ab"),
    ],
)
def test_a_name_is_not_taken_for_its_letters(admin: Admin, call: Callable[[Admin], object]) -> None:
    with pytest.raises(TypeError, match="'ab'"):
        call(admin)


@pytest.mark.parametrize("value", [5000, None, b"5000"])
def test_a_property_that_is_no_text_is_named(value: object) -> None:
    properties = {"request.timeout.ms": value}
    with pytest.raises(OptionError, match=r"request\.timeout\.ms is of type \w+: .* quotes"):
        AdminOptions.of("localhost:9092", properties)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["x", "-1", "1.0", "²"])
def test_a_broker_is_named_by_its_id(admin: Admin, name: str) -> None:
    resource = ConfigResource(ResourceType.BROKER, name)
    with pytest.raises(ValueError, match="the name of a broker is its id"):
        admin.describe_configs([resource])
