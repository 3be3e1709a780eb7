"""The store on a real ZooKeeper, by kazoo: the only module that knows kazoo.

kazoo gives the connection: hosts, chroot, TLS, authentication, pings, reconnecting. What it would
deliver on two threads of its own, in no common order, is posted here by its connection thread:
answers, watch events and session states, in the order in which ZooKeeper sent them. Requests are
the store's own (`wire`, `jute`): kazoo has no multiRead and no addWatch, cannot create with null
data in a multi, and drops the czxid of what it creates there.

A client lives for one session: where kazoo would silently open another, this one ends. ZooKeeper
3.6 or later is needed (multiRead, addWatch).
"""

from __future__ import annotations

import contextlib
import logging
import socket
import ssl
import threading

from kazoo.client import KazooClient
from kazoo.exceptions import EXCEPTIONS, ConnectionDropped
from kazoo.handlers.threading import SequentialThreadingHandler
from kazoo.protocol.connection import CLOSE_RESPONSE, WATCH_XID, ConnectionHandler
from kazoo.protocol.serialization import CloseInstance, Connect
from kazoo.protocol.states import KeeperState
from kazoo.retry import KazooRetry

from klamm.controller.store import jute
from klamm.controller.store.link import Failure, Reply, Request
from klamm.controller.store.options import Tls, ZookeeperOptions
from klamm.controller.store.port import Post, Unknown
from klamm.controller.store.wire import WireStore

_LOG = logging.getLogger(__name__)
_CODES = {kind: code for code, kind in EXCEPTIONS.items()}

_RECONNECT_FIRST_S = 0.05
_RECONNECT_LONGEST_S = 1.0
_READ_BYTES = 256 * 1024
_REPLY_HEADER_BYTES = 16  # xid, zxid, error


class ZookeeperStore(WireStore):
    """A `Store` on a real ZooKeeper. It connects by itself, from its construction on.

    `post` is called by kazoo's connection thread, or by the caller's when the answer is at hand.
    Raises kazoo's ConfigurationError for options that make no sense, and OSError (ssl.SSLError
    among them) for certificates that cannot be loaded.
    """

    def __init__(self, options: ZookeeperOptions, post: Post) -> None:
        client = _OneSession(self, options)
        super().__init__(
            post, client, threading.RLock(), options.packet_limit, options.create_chroot
        )
        client.start_async()


class _UntrustedServerError(Exception):
    """Not an OSError: kazoo would try again for ever."""


class _Handler(SequentialThreadingHandler):
    """kazoo's handler without its two worker threads: the connection thread does it all."""

    def __init__(self, options: ZookeeperOptions) -> None:
        super().__init__()
        hosts = options.connect.partition("/")[0].count(",") + 1
        # A share of the session's time, as Java's client does; kazoo would spend all of it on the
        # first host that does not answer.
        self._timeout_s = options.session_timeout_ms / 1000 / hosts
        self._tls = _tls_context(options.tls) if options.tls else None

    def start(self) -> None:
        """Start nothing."""

    def stop(self) -> None:
        """Stop nothing."""

    def create_connection(
        self, address: tuple[str, int], hostname: str, **_: object
    ) -> socket.socket:
        """Connect; unlike kazoo's own, leaves no socket open when TLS fails."""
        connection = socket.create_connection(address, self._timeout_s)
        try:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self._tls is not None:
                return self._tls.wrap_socket(connection, server_hostname=hostname)
        except ssl.SSLCertVerificationError as error:
            connection.close()
            raise _UntrustedServerError(f"{hostname}:{address[1]}: {error}") from error
        except OSError:
            connection.close()
            raise
        return connection


def _tls_context(tls: Tls) -> ssl.SSLContext:
    context = ssl.create_default_context(cafile=tls.ca)
    context.check_hostname = tls.verify_certs and tls.check_hostname
    if not tls.verify_certs:
        context.verify_mode = ssl.CERT_NONE
    if tls.certfile is not None:
        context.load_cert_chain(tls.certfile, tls.keyfile, tls.keyfile_password)
    return context


class _OneSession(KazooClient):
    """A kazoo client that ends with its session and reports to a store."""

    chroot: str

    def __init__(self, store: WireStore, options: ZookeeperOptions) -> None:
        self.store = store
        self.negotiated_ms = 0
        self.crash = ""
        handler = _Handler(options)
        retry = KazooRetry(
            max_tries=-1,
            delay=_RECONNECT_FIRST_S,
            max_delay=_RECONNECT_LONGEST_S,
            sleep_func=handler.sleep_func,
            interrupt=lambda: self._stopped.is_set(),
        )
        super().__init__(
            hosts=options.connect,
            timeout=options.session_timeout_ms / 1000,
            handler=handler,
            auth_data=set(options.auth),
            connection_retry=retry,
            logger=_LOG,
        )
        sasl = dict(options.sasl) if options.sasl else None
        self._thread = _Connection(self, retry, logger=_LOG, sasl_options=sasl)
        self._connection = self._thread

    def send(self, request: Request) -> None:
        """Queue a request for the connection thread."""
        carried = _Carried(self.store, request)
        self._call(carried, carried)

    def drop(self) -> None:
        """Break the connection; its thread sees the end of the stream and connects again."""
        self._thread.hang_up()

    def request_stop(self) -> None:
        """Do what `stop` does, without waiting for it."""
        if not self._stopped.is_set():
            self._stopped.set()
            self._queue.append((CloseInstance, None))
            self._thread.wake()

    def _session_callback(self, state: str) -> None:
        """Follow kazoo's state; what is open is answered before the new state is posted."""
        store = self.store
        with store.lock:
            if state == KeeperState.CONNECTED:
                super()._session_callback(state)
                store.on_connected(self._session_id, self.negotiated_ms)
                return
            was_connected, store.connected = store.connected, False
            super()._session_callback(state)  # answers what it had been given
            if state == KeeperState.CONNECTING:
                if was_connected:
                    store.on_disconnected()
            elif not store.lost:
                self._stopped.set()
                threading.Thread(target=self._release, name="zookeeper-end", daemon=True).start()
                store.on_lost(self._reason(state))

    def _reason(self, state: str) -> str:
        if state == KeeperState.EXPIRED_SESSION:
            return "ZooKeeper has expired the session"
        if state == KeeperState.AUTH_FAILED:
            return "ZooKeeper has refused the credentials"
        return self.crash or "closed"

    def _release(self) -> None:
        """Close kazoo's pipes once its connection thread has ended."""
        self._thread.stop()
        self.close()


class _Carried:
    """A request as kazoo wants it: what it serializes, and the result that it sets."""

    def __init__(self, store: WireStore, request: Request) -> None:
        self.type = request.kind
        self._store = store
        self._request = request
        self._reply: Reply = (b"", 0)

    def __repr__(self) -> str:
        return f"<request of type {self.type}>"  # kazoo logs it, and znodes hold secrets

    def serialize(self) -> bytes:
        return self._request.body

    def deserialize(self, raw: bytes, offset: int) -> tuple[()]:
        self._reply = (raw, offset)
        return ()  # kazoo walks over a multi's results

    def set(self, _: object) -> None:
        with self._store.lock:
            self._store.on_answer(self._request, self._reply)

    def set_exception(self, error: Exception) -> None:
        failure: Failure
        code = _CODES.get(type(error))
        if code is None:
            failure = Unknown(f"{type(error).__name__}: {error}", self._request.zxid)
        else:
            failure = jute.failure(code, self._request.zxid)
        with self._store.lock:
            self._store.on_answer(self._request, failure)


class _Connection(ConnectionHandler):
    """kazoo's connection, with all that comes in turned to the store.

    It reads what the socket has at once. A multi of thousands of writes brings an event for each,
    and kazoo's five system calls for an event took three times as long as the multi itself.
    """

    client: _OneSession
    _unread = b""
    _taken = 0  # of those

    def wake(self) -> None:
        """Make the connection thread look at its queue."""
        assert self._write_sock is not None, "the pipe is open until the session is lost"
        self._write_sock.send(b"\0")

    def hang_up(self) -> None:
        """End both directions, from any thread."""
        connection = self._socket
        if connection is not None:
            # Not SSLSocket's own: it would take the session away under the reading thread.
            with contextlib.suppress(OSError):  # the connection has ended by itself
                socket.socket.shutdown(connection, socket.SHUT_RDWR)

    def zk_loop(self) -> None:
        """Run until the session ends."""
        try:
            super().zk_loop()
        except InterruptedError:
            pass  # told to stop between two attempts to connect
        except Exception:
            _LOG.exception("the connection to ZooKeeper has failed")

    def _connect_attempt(self, host: str, ip: str, port: int, retry: KazooRetry) -> object:
        self._unread, self._taken = b"", 0
        try:
            return super()._connect_attempt(host, ip, port, retry)
        except Exception as error:
            self.client.crash = f"{type(error).__name__}: {error}"
            raise

    def _invoke(self, timeout: float, request: object, xid: int | None = None) -> object:
        answer = super()._invoke(timeout, request, xid)
        if isinstance(request, Connect):
            self.client.negotiated_ms = answer[0].time_out
        return answer

    def _read(self, length: int, timeout: float) -> bytes:
        """Take bytes from the buffer; one that has too few makes room for more."""
        end = self._taken + length
        if end > len(self._unread):
            parts = [self._unread[self._taken :]]
            missing = end - len(self._unread)
            while missing > 0:
                parts.append(self._received(missing, timeout))
                missing -= len(parts[-1])
            self._unread, self._taken, end = b"".join(parts), 0, length
        data = self._unread[self._taken : end]
        self._taken = end
        return data

    def _received(self, wanted: int, timeout: float) -> bytes:
        """Wait for bytes, take what is there, about as many as are wanted at most."""
        connection = self._socket
        assert connection is not None, "only what has connected reads"
        with self._socket_error_handling():
            while True:
                pending = isinstance(connection, ssl.SSLSocket) and connection.pending()
                if not pending and not self.handler.select([connection], [], [], timeout)[0]:
                    raise self.handler.timeout_exception("socket time-out during read")
                with contextlib.suppress(ssl.SSLWantReadError, ssl.SSLWantWriteError):
                    data: bytes = connection.recv(max(wanted, _READ_BYTES))
                    if not data:
                        raise ConnectionDropped("socket connection broken")
                    return data

    def _read_socket(self, read_timeout: float) -> object:
        """Read one packet, and all that came with it: nobody would wait for those any more."""
        response: object = super()._read_socket(read_timeout)
        self._take_watch_events()
        while response != CLOSE_RESPONSE and self._packet_size():
            response = super()._read_socket(read_timeout)
            self._take_watch_events()
        return response

    def _packet_size(self) -> int:
        """Bytes of the next packet with the four that announce it; 0 unless it is all there."""
        size = 4 + int.from_bytes(self._unread[self._taken : self._taken + 4])
        return size if size <= len(self._unread) - self._taken else 0

    def _take_watch_events(self) -> None:
        """Hand over the watch events that come next; kazoo's own way to each is a long one."""
        store = self.client.store
        with store.lock:
            while size := self._packet_size():
                start = self._taken + 4
                if int.from_bytes(self._unread[start : start + 4], signed=True) != WATCH_XID:
                    return
                self._taken += size
                store.on_watch_event(self._unread, start + _REPLY_HEADER_BYTES)

    def _read_watch_event(self, buffer: bytes, offset: int) -> None:
        store = self.client.store
        with store.lock:
            store.on_watch_event(buffer, offset)
