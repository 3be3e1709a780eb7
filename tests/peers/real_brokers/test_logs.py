"""The logs are looked at: an error is seen once, whole, and under the name of who wrote it."""

from pathlib import Path

from peers.real_brokers.logs import Logs


def test_errors_are_seen_once_and_when_their_line_is_whole(tmp_path: Path) -> None:
    file = tmp_path / "server.log"
    logs = Logs({"broker 1": file, "broker 2": tmp_path / "not yet"})
    assert logs.complaints() == []
    error = "18:00:00,000 ERROR [Broker id=1] cannot go on (kafka.server.KafkaServer)"
    with file.open("w") as log:
        log.write(f"18:00:00,000 INFO no error here\n{error}\n18:00:01,000 ERR")
        log.flush()
        assert logs.complaints() == [f"broker 1: {error}"]
        assert logs.complaints() == []
        log.write("OR the rest\nTraceback (most recent call last):\n")
        log.flush()
        assert logs.complaints() == [
            "broker 1: 18:00:01,000 ERROR the rest",
            "broker 1: Traceback (most recent call last):",
        ]
