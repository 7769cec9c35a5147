"""Clients that connect over TLS and are slow, or say nothing: the server closes each, and others are served meanwhile."""

import socket
import ssl
import threading
import time

import requests

from player import Player
from server import APP, ROOT, Server

CERTIFICATE = ROOT / "Server/Tests/EndToEndTests/TLS/certificate.pem"
KEY = ROOT / "Server/Tests/EndToEndTests/TLS/key.pem"
REQUEST_SECONDS = 2
IDLE_SECONDS = 3
# Far above both, so that a busy machine is no finding; far below "as long as the client likes".
BOUND_SECONDS = 25
CONNECT_SECONDS = 60
DRIP_SECONDS = 0.5
# Of each kind. The slow ones come from an address of their own, as in the world.
CLIENTS = 6
SLOW_ADDRESS = "127.0.0.2"

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"


def frame(kind, flags, stream, payload=b""):
    return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload


SETTINGS = PREFACE + frame(4, 0, 0)
# HPACK: `:method POST`, `:scheme https`, `:path /v1/apps/devgame/login` and `:authority a` as literals without index.
PATH = f"/v1/apps/{APP}/login".encode()
HEADERS = bytes([0x83, 0x87, 0x04, len(PATH)]) + PATH + bytes([0x01, 1]) + b"a"
HEAD = f"POST /v1/apps/{APP}/login HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n".encode()


def context(protocols):
    context = ssl.create_default_context(cafile=CERTIFICATE)
    if protocols:
        context.set_alpn_protocols(protocols)
    return context


def client_hello():
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    connection = context(["h2"]).wrap_bio(incoming, outgoing, server_hostname="localhost")
    try:
        connection.do_handshake()
    except ssl.SSLWantReadError:
        pass
    return outgoing.read()


class Slow:
    """One kind of slow client: what it offers by ALPN (None: no TLS at all), sends, and goes on to send bit by bit."""

    def __init__(self, name, protocols, sends=b"", drips=b"", step=1):
        self.name = name
        self.protocols = protocols
        self.sends = sends
        self.drips = drips
        self.step = step

    def run(self, port):
        """How many seconds the server kept it; None when it was still there at the end."""
        start = time.monotonic()
        connection = None
        try:
            connection = socket.create_connection(("127.0.0.1", port), CONNECT_SECONDS, source_address=(SLOW_ADDRESS, 0))
            # How long a busy machine takes to connect says nothing of the server.
            last = start = time.monotonic()
            if self.protocols is not None:
                connection = context(self.protocols).wrap_socket(connection, server_hostname="localhost")
            connection.sendall(self.sends)
            connection.settimeout(DRIP_SECONDS)
            while time.monotonic() - start < BOUND_SECONDS:
                try:
                    if not connection.recv(4096):
                        return time.monotonic() - start
                except TimeoutError:
                    pass
                if self.drips and time.monotonic() - last >= DRIP_SECONDS:
                    last = time.monotonic()
                    part, self.drips = self.drips[: self.step], self.drips[self.step :]
                    connection.sendall(part)
        except OSError:
            return time.monotonic() - start
        finally:
            if connection is not None:
                connection.close()
        return None


def kinds():
    hello = client_hello()
    two, one = ["h2"], ["http/1.1"]
    body = b'{"provider":"guest"}'
    whole = HEAD + b"Content-Length: 20\r\n\r\n"
    return [
        Slow("a connection that sends nothing", None),
        Slow("half a ClientHello", None, hello[: len(hello) // 2]),
        Slow("a ClientHello byte by byte", None, b"", hello),
        Slow("a handshake and no ALPN, then nothing", []),
        Slow("HTTP/2: no preface", two),
        Slow("HTTP/2: half a preface", two, PREFACE[:10]),
        Slow("HTTP/2: idle after SETTINGS", two, SETTINGS),
        Slow("HTTP/2: HEADERS that do not end", two, SETTINGS + frame(1, 0, 1, HEADERS)),
        Slow("HTTP/2: a frame that does not end", two, SETTINGS + frame(1, 4, 1, HEADERS)[:-3]),
        Slow("HTTP/2: a body that never comes", two, SETTINGS + frame(1, 4, 1, HEADERS)),
        Slow("HTTP/2: a body byte by byte", two, SETTINGS + frame(1, 4, 1, HEADERS), frame(0, 0, 1, b"{") * 100),
        Slow("HTTP/2: PINGs and no request", two, SETTINGS, frame(6, 0, 0, b"gatehous") * 100, step=17),
        Slow("HTTP/2: idle after an answer", two, SETTINGS + frame(1, 5, 1, HEADERS)),
        Slow("HTTP/1.1: not a byte", one),
        Slow("HTTP/1.1: half a head", one, HEAD),
        Slow("HTTP/1.1: a head byte by byte", one, b"", HEAD * 10),
        Slow("HTTP/1.1: a body that never comes", one, whole),
        Slow("HTTP/1.1: half a body", one, whole + body[:10]),
        Slow("HTTP/1.1: a body byte by byte", one, HEAD + b"Content-Length: 1000\r\n\r\n", b" " * 1000),
        Slow("HTTP/1.1: idle after an answer", one, whole + body),
    ]


def run(audit):
    serve = [
        "--tls-certificate", str(CERTIFICATE), "--tls-key", str(KEY),
        "--request-seconds", str(REQUEST_SECONDS), "--idle-seconds", str(IDLE_SECONDS),
    ]
    with Server(audit, serve=serve) as server:
        port = int(server.url.rsplit(":", 1)[1])
        kept = {}
        lock = threading.Lock()

        def keep(kind):
            seconds = kind.run(port)
            with lock:
                kept.setdefault(kind.name, []).append(seconds)

        threads = [threading.Thread(target=keep, args=(kind,)) for _ in range(CLIENTS) for kind in kinds()]
        for thread in threads:
            thread.start()
        served = 0
        worst = 0.0
        while any(thread.is_alive() for thread in threads):
            start = time.monotonic()
            try:
                Player(server.url, APP, verify=CERTIFICATE, attempts=1).log_in()
                served += 1
            except requests.RequestException as error:
                audit.finding(f"a good client was not served beside slow ones: {error}")
                break
            worst = max(worst, time.monotonic() - start)
            time.sleep(0.5)
        for thread in threads:
            thread.join(CONNECT_SECONDS + BOUND_SECONDS + 10)
        for kind in kinds():
            seconds = kept.get(kind.name, [])
            if len(seconds) < CLIENTS or None in seconds:
                audit.finding(f"not closed within {BOUND_SECONDS} s: {kind.name}")
            else:
                audit.say(f"closed after {max(seconds):.1f} s at most: {kind.name}")
        audit.say(f"{len(threads)} slow clients; {served} logins beside them, the slowest took {worst:.2f} s")
        audit.watch(server)
