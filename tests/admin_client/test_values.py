"""Results, errors and options by themselves."""

from __future__ import annotations

from concurrent.futures import Future
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from klamm.protocol.error_codes import ErrorCode
from klamm.tools.admin import AdminOptions, OptionError, Results, errors, properties


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 9)), max_size=6), st.randoms())
def test_all_waits_for_each_and_fails_with_the_first_in_order(
    outcomes: list[tuple[bool, int]], random: object
) -> None:
    futures: dict[int, Future[int]] = {number: Future() for number in range(len(outcomes))}
    whole = Results(futures).all()
    order = list(futures)
    random.shuffle(order)  # type: ignore[attr-defined]
    for number in order:
        assert not whole.done()
        is_good, value = outcomes[number]
        if is_good:
            futures[number].set_result(value)
        else:
            futures[number].set_exception(errors.AdminError(str(number)))
    bad = [number for number, (is_good, _) in enumerate(outcomes) if not is_good]
    if bad:
        assert str(whole.exception(0)) == str(bad[0])
    else:
        assert whole.result(0) == {n: value for n, (_, value) in enumerate(outcomes)}


@given(st.integers(-(2**15), 2**15 - 1).filter(bool), st.none() | st.text(min_size=1))
def test_every_code_has_an_error_with_a_text(code: int, message: str | None) -> None:
    error = errors.error_of(code, message)
    assert error.message == str(error) != ""
    assert message is None or error.message == message
    if code == ErrorCode.UNSUPPORTED_VERSION:
        assert isinstance(error, errors.UnsupportedVersionError)
    else:
        assert isinstance(error, errors.ApiError)
        assert error.code == code
    with pytest.raises(type(error)):
        errors.raise_for(code, message)


def test_0_is_no_error() -> None:
    errors.raise_for(0, "whatever")


def test_classes_and_codes_are_one_to_one() -> None:
    kinds = errors.ApiError.__subclasses__()
    codes = [kind.CODE for kind in kinds]
    assert len(set(codes)) == len(codes)
    for kind in kinds:
        assert type(errors.error_of(kind.CODE, None)) is kind
        assert str(kind()) == kind.TEXT


def test_options_have_the_defaults_of_kafka() -> None:
    found = AdminOptions.of("h:1", {})
    assert found.request_timeout_ms == 30_000
    assert found.api_timeout_ms == 60_000
    assert (found.retry_backoff_ms, found.retry_backoff_max_ms) == (100, 1000)
    assert found.connect_timeout_ms == 10_000
    assert found.security_protocol == "PLAINTEXT"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a:1", ["a:1"]),
        (" a:1 , b:2,a:1,", ["a:1", "b:2"]),
        ("PLAINTEXT://a:1", ["a:1"]),
        ("SASL_SSL://[fe80::1]:9093", ["[fe80::1]:9093"]),
        ("127.0.0.1:65535", ["127.0.0.1:65535"]),
    ],
)
def test_addresses(text: str, expected: list[str]) -> None:
    assert [str(address) for address in properties.addresses(text)] == expected


@given(st.text(alphabet="ah:/[],1.0 ", max_size=12))
def test_any_text_is_addresses_or_an_error_that_names_it(text: str) -> None:
    try:
        found = properties.addresses(text)
    except OptionError as error:
        assert "host:port" in str(error)
    else:
        assert all(0 < address.port < 2**16 and address.host for address in found)


def test_passwords_do_not_show(tmp_path: Path) -> None:
    file = tmp_path / "client.properties"
    file.write_text("sasl.jaas.config=secret password\nbootstrap.servers=h:1\n")
    options = AdminOptions.of(None, properties.read(file))
    assert "secret" not in repr(options)
    assert options.properties["sasl.jaas.config"] == "secret password"
