from kazoo.client import KazooClient


def test_each_test_gets_an_empty_chroot_that_exists(chroot: str) -> None:
    client = KazooClient(chroot)
    client.start()
    assert client.get("/")[0] is None
    assert client.get_children("/") == []
    client.create("/left_behind", None)
    client.stop()
    client.close()


def test_the_chroot_of_another_test_is_not_this_ones(chroot: str) -> None:
    client = KazooClient(chroot)
    client.start()
    assert client.get_children("/") == []
    client.create("/left_behind", None)
    client.stop()
    client.close()
