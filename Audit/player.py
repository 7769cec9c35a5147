"""A player's device: a P-256 key that signs proofs (RFC 9449), and what it logs in with."""

import base64
import hashlib
import hmac
import html
import json
import re
import time
import urllib.parse
import uuid

import requests
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

SECONDS = 30
# Longer than a node keeps what it knows of an app (`AppDirectory`).
PAUSE_SECONDS = 1.5
# Loopback of the device, where a game would listen.
REDIRECT = "http://127.0.0.1:1/back"
# Signs the sessions of a game that players come from.
OLD_GAME_KEY = "the-key-of-an-old-game-that-nobody-knows"


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def old_session(player_id):
    """What Nakama has left on the device of a player."""
    header = {"alg": "HS256", "typ": "JWT"}
    claims = {"tid": str(uuid.uuid4()), "uid": player_id, "usn": "old", "exp": int(time.time()) + 600, "iat": int(time.time())}
    text = ".".join(base64url(json.dumps(part).encode()) for part in (header, claims))
    return f"{text}.{base64url(hmac.digest(OLD_GAME_KEY.encode(), text.encode(), 'sha256'))}"


class Device:
    def __init__(self):
        self.key = ec.generate_private_key(ec.SECP256R1())
        numbers = self.key.public_key().public_numbers()
        self.jwk = {
            "kty": "EC",
            "crv": "P-256",
            "x": base64url(numbers.x.to_bytes(32, "big")),
            "y": base64url(numbers.y.to_bytes(32, "big")),
        }

    def proof(self, method, url, token=None):
        """The value of the header `DPoP` for one call."""
        claims = {
            "jti": uuid.uuid4().hex,
            "htm": method,
            "htu": url.split("?")[0].split("#")[0],
            "iat": int(time.time()),
        }
        if token is not None:
            claims["ath"] = base64url(hashlib.sha256(token.encode()).digest())
        header = {"typ": "dpop+jwt", "alg": "ES256", "jwk": self.jwk}
        text = ".".join(base64url(json.dumps(part).encode()) for part in (header, claims))
        r, s = decode_dss_signature(self.key.sign(text.encode(), ec.ECDSA(hashes.SHA256())))
        return f"{text}.{base64url(r.to_bytes(32, 'big') + s.to_bytes(32, 'big'))}"

    def headers(self, method, url, token=None):
        headers = {"DPoP": self.proof(method, url, token)}
        if token is not None:
            headers["Authorization"] = f"DPoP {token}"
        return headers


def accepted(send, also=(), attempts=2):
    """The answer to a call that prepares others. If it is refused, it is made once more after a pause: the calls before it may have changed
    what the server knows. A second refusal is an error, with what both answers said. Bodies of refusals have no secrets."""
    refusals = []
    while True:
        answer = send()
        if answer.ok or answer.status_code in also:
            return answer
        path = urllib.parse.urlsplit(answer.request.url).path
        refusals.append(f"{answer.request.method} {path}: {answer.status_code}: {answer.text[:1000]}")
        if len(refusals) == attempts:
            raise requests.HTTPError("refused: " + "; then ".join(refusals), response=answer)
        time.sleep(PAUSE_SECONDS)


class Player:
    """A member that is logged in, by a key of its own."""

    def __init__(self, server_url, app, verify=True, attempts=2):
        self.base = f"{server_url}/v1/apps/{app}"
        self.device = Device()
        self.verify = verify
        self.attempts = attempts
        self.access = self.refresh = self.user = None

    def send(self, method, path, body=None, token=None):
        url = self.base + path
        headers = self.device.headers(method, url, token)
        return requests.request(method, url, json=body, headers=headers, timeout=SECONDS, verify=self.verify)

    def call(self, method, path, body=None, token=None):
        return accepted(lambda: self.send(method, path, body, token), attempts=self.attempts).json()

    def log_in(self, credential=None):
        login = self.call("POST", "/login", credential or {"provider": "guest"})
        self.access = login["session"]["accessToken"]
        self.refresh = login["session"].get("refreshToken", self.refresh)
        self.user = login["member"]["userId"]
        return self

    def callback(self, provider, person):
        """Goes through the pages of a fake provider as one person. Returns where its browser is sent then, and with which form
        (None for a GET)."""
        attempt = self.call("POST", "/login/browser", {"provider": provider, "redirectUri": REDIRECT})
        url = attempt["authorizationUrl"]
        page = accepted(lambda: requests.get(url, timeout=SECONDS, allow_redirects=False))
        fields = {**hidden_fields(page.text), "fake_player": person, "fake_action": "login"}
        answer = accepted(lambda: requests.post(url.split("?")[0], data=fields, timeout=SECONDS, allow_redirects=False))
        # Apple's page sends a form, the others redirect.
        if "Location" in answer.headers:
            return answer.headers["Location"], None
        return html.unescape(re.search(r'action="([^"]+)"', answer.text)[1]), hidden_fields(answer.text)

    def login_code(self, provider, person):
        """The code that a login with a browser ends with."""
        def send():
            # A callback counts once, so that another attempt is another login.
            url, form = self.callback(provider, person)
            method = "GET" if form is None else "POST"
            return requests.request(method, url, data=form, timeout=SECONDS, allow_redirects=False)
        return query(accepted(send).headers["Location"])["code"]

    def map(self, provider, person):
        """Maps an account of a provider; returns the ticket when it belongs to another member."""
        def send():
            body = {"provider": provider, "loginCode": self.login_code(provider, person)}
            return self.send("POST", "/mappings/add", body, self.access)
        answer = accepted(send, also=[409])
        if answer.status_code == 409:
            return answer.json()["error"]["details"].get("forcingMappingTicket")
        self.access = answer.json().get("session", {}).get("accessToken", self.access)
        return None

    def log_in_with(self, provider, person):
        return self.log_in({"provider": provider, "loginCode": self.login_code(provider, person)})


def query(url):
    return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(url).query))


def hidden_fields(page):
    form = page.split("</form>")[0]
    return {
        html.unescape(name): html.unescape(value)
        for name, value in re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)"', form)
    }
