"""A mail server for a test: takes what it gets and prints it. Usage: mail_server.py CERTIFICATE KEY starttls|tls PORT"""

import ssl
import sys
import threading

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult


class Printer:
    async def handle_RCPT(self, server, session, envelope, address, rcpt_options):
        if address.startswith("nobody@"):
            return "550 no such user"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        print("FROM", envelope.mail_from, "TO", *envelope.rcpt_tos, "TLS", session.ssl is not None)
        for line in envelope.content.decode("ascii").splitlines():
            print("LINE", line)
        print("END", flush=True)
        return "250 taken"


def authenticate(server, session, envelope, mechanism, data):
    known = (data.login, data.password) == (b"game", b"p\xc3\xa4ss word")
    # What is handled here is not answered by the server.
    return AuthResult(success=known, handled=False)


certificate, key, mode, port = sys.argv[1:]
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)
kind = (
    {"tls_context": context, "require_starttls": True}
    if mode == "starttls"
    else {"ssl_context": context, "auth_require_tls": False}
)
controller = Controller(
    Printer(), hostname="127.0.0.1", port=int(port), authenticator=authenticate, auth_required=True, **kind
)
controller.start()
print("READY", flush=True)
threading.Event().wait()
