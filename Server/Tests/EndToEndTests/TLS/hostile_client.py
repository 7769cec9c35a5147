"""A client that holds connections in ways that no library of HTTP would.

hostile_client.py PORT CERTIFICATE STATE...   one connection in each state; a line "STATE closed" as soon as the server has
                                              closed it for good, or "STATE open" after a minute
hostile_client.py PORT CERTIFICATE leave PROTOCOL PATH PROOF BODY
                                              sends a call, and goes at the signal SIGUSR1 without having read the answer
"""
import signal
import socket
import ssl
import sys
import threading
import time

PORT, CERTIFICATE = int(sys.argv[1]), sys.argv[2]
PATIENCE = 60
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
POST = b"POST /v1/apps/game/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n{"


def frame(kind, flags, stream, payload=b""):
    return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload


def fields(**pairs):
    """Literal fields without indexing (RFC 7541 section 6.2.2); a leading underscore is the colon of a pseudo-header."""
    block = b""
    for name, value in pairs.items():
        name = name.replace("_", ":", 1).replace("_", "-").encode() if name[0] == "_" else name.replace("_", "-").encode()
        value = value.encode()
        block += b"\x00" + length(len(name)) + name + length(len(value)) + value
    return block


def length(number):
    if number < 127:
        return bytes([number])
    rest, number = [127], number - 127
    while number >= 128:
        rest.append(number % 128 + 128)
        number //= 128
    return bytes(rest + [number])


SETTINGS = frame(4, 0, 0)
NO_WINDOW = frame(4, 0, 0, b"\x00\x04" + bytes(4))
PSEUDO = {"_scheme": "https", "_authority": "localhost"}
GET = fields(_method="GET", _path="/openapi.yaml", **PSEUDO)
LOGIN = fields(_method="POST", _path="/v1/apps/game/login", **PSEUDO, content_type="application/json", content_length="20")


def tcp(buffer=None):
    connection = socket.socket()
    if buffer:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
    connection.settimeout(PATIENCE)
    connection.connect(("127.0.0.1", PORT))
    return connection


def tls(protocol, buffer=None):
    context = ssl.create_default_context(cafile=CERTIFICATE)
    context.set_alpn_protocols([protocol])
    return context.wrap_socket(tcp(buffer), server_hostname="localhost")


def hello():
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    try:
        ssl.create_default_context().wrap_bio(incoming, outgoing, server_hostname="localhost").do_handshake()
    except ssl.SSLWantReadError:
        pass
    return outgoing.read()


def sent(connection, data=b""):
    connection.sendall(data)
    return connection


def dripping(connection, data):
    """Keeps sending something small: it must not win time."""

    def drip():
        try:
            while True:
                time.sleep(0.2)
                connection.sendall(data)
        except OSError:
            pass

    threading.Thread(target=drip, daemon=True).start()
    return connection


def unread(connection):
    """Asks for more than the system buffers, reads nothing, and learns of the end because it can send no more."""
    connection.sendall(b"GET /openapi.yaml HTTP/1.1\r\nHost: x\r\n\r\n" * 300)
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        time.sleep(0.2)
        connection.sendall(b"G")
    return None


STATES = {
    "silent": lambda: tcp(),
    "half-hello": lambda: sent(tcp(), hello()[:100]),
    "http1-silent": lambda: tls("http/1.1"),
    "http1-head": lambda: dripping(sent(tls("http/1.1"), b"GET /hea"), b"a"),
    "http1-body": lambda: dripping(sent(tls("http/1.1"), POST), b"1"),
    "http1-unread": lambda: unread(tls("http/1.1", 4096)),
    "http2-silent": lambda: tls("h2"),
    "http2-preface": lambda: sent(tls("h2"), PREFACE[:10]),
    "http2-idle": lambda: sent(tls("h2"), PREFACE + SETTINGS),
    # Frames of no request.
    "http2-settings": lambda: dripping(sent(tls("h2"), PREFACE + SETTINGS), frame(2, 0, 1, bytes(4) + b"\x10")),
    # HEADERS without END_HEADERS.
    "http2-headers": lambda: sent(tls("h2"), PREFACE + SETTINGS + frame(1, 0, 1, GET)),
    "http2-body": lambda: sent(tls("h2"), PREFACE + SETTINGS + frame(1, 4, 1, LOGIN) + frame(0, 0, 1, b"{")),
    # A window of no bytes: the answer can't be sent.
    "http2-unread": lambda: sent(tls("h2"), PREFACE + NO_WINDOW + frame(1, 5, 1, GET)),
    "plain-silent": lambda: tcp(),
    "plain-unread": lambda: unread(tcp(4096)),
}


def is_closed(connection):
    end = time.monotonic() + PATIENCE
    while connection and time.monotonic() < end:
        connection.settimeout(max(0.1, end - time.monotonic()))
        if not connection.recv(65536):
            return True
    return False


def hold(state):
    try:
        outcome = is_closed(STATES[state]())
    except socket.timeout:
        outcome = False
    except OSError:
        # Reset, or ended without TLS's farewell: closed, and for good.
        outcome = True
    print(state, "closed" if outcome else "open", flush=True)


def leave(protocol, path, proof, body):
    if protocol == "h2":
        head = fields(
            _method="POST", _path=path, **PSEUDO, content_type="application/json", content_length=str(len(body)), dpop=proof)
        call = PREFACE + SETTINGS + frame(1, 4, 1, head) + frame(0, 1, 1, body.encode())
    else:
        call = (
            f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nDPoP: {proof}\r\n"
            f"Content-Length: {len(body)}\r\n\r\n{body}"
        ).encode()
    # The signal is waited for, so it may come before the wait.
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
    connection = sent(tls(protocol), call)
    print("sent", flush=True)
    signal.sigtimedwait([signal.SIGUSR1], PATIENCE)
    if protocol == "h2":
        # The stream alone: its connection stays.
        connection.sendall(frame(3, 0, 1, (8).to_bytes(4, "big")))
        signal.sigtimedwait([signal.SIGUSR1], PATIENCE)
    else:
        connection.close()


if sys.argv[3] == "leave":
    leave(*sys.argv[4:8])
else:
    threads = [threading.Thread(target=hold, args=(state,)) for state in sys.argv[3:]]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
