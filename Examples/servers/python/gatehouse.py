import json
import time
import urllib.error
import urllib.request

import jwt

WRONG_KEY = "is the secret key this app's, with the scope check?"


class Unavailable(jwt.InvalidTokenError):
    """The token may be good, but Gatehouse can't be asked: answer 503 and not 401, or the game logs its player out."""


class Gatehouse:
    """Checks access tokens without a call for each player. Call refresh() again after as many seconds as it returns.

    While Gatehouse can't be reached, keys and revocations of before count for another hour. By then every good token has
    ended, and the class refuses all.
    """

    FETCH_SECONDS = 60  # Tokens with made-up keys cost one fetch in that time.
    STALE_SECONDS = 3600

    def __init__(self, server, app, secret, token_seconds=3600):
        self.server, self.app, self.secret, self.token_seconds = server, app, secret, token_seconds
        self.keys, self.keys_from, self.tried = {}, float("-inf"), float("-inf")
        self.revoked_keys, self.revocations, self.everyone_before, self.cursor = set(), {}, 0, None
        self.list_from = float("-inf")

    def check(self, token):
        """The claims of a good token: claims["sub"] is the user id. Raises jwt.PyJWTError for any other."""
        if self.wants_keys(token):
            self.tried = time.monotonic()
            try:
                with urllib.request.urlopen(f"{self.server}/v1/apps/{self.app}/jwks.json", timeout=10) as answer:
                    self._take(json.load(answer))
            except (OSError, ValueError):
                pass  # The keys of before have to do.
        if time.monotonic() - self.keys_from > self.STALE_SECONDS:
            raise Unavailable("stale keys")
        claims = self._verified(token, "at+jwt", ["exp", "iat", "sub", "sid"])
        if self.is_revoked(claims):
            raise jwt.InvalidTokenError("revoked")
        return claims

    def wants_keys(self, token):
        """Whether check(token) calls Gatehouse first, because it does not know the token's key. refresh() brings the other keys."""
        key = jwt.get_unverified_header(token).get("kid")
        return key not in self.keys and time.monotonic() - self.tried > self.FETCH_SECONDS

    def is_revoked(self, claims):
        """Whether a good token has ended before its time, by the last list. For connections that outlive a request."""
        entries = self.revocations.get(claims["sub"], [])
        return (claims["iat"] < self.everyone_before or claims["kid"] in self.revoked_keys
                or any(self._applies(entry, claims) for entry in entries))

    def list_age(self):
        """The seconds since the last complete list of revocations; infinite before the first."""
        return time.monotonic() - self.list_from

    def ask(self, token, timeout=2):
        """Asks Gatehouse itself, for what can't be undone. Returns what tokens/check answers."""
        try:
            return self._post("tokens/check", {"accessToken": token}, timeout)
        except urllib.error.HTTPError as refusal:
            try:
                error = json.load(refusal)["error"]
            except (ValueError, KeyError):
                error = {}
            if error.get("code") == 3011:
                raise jwt.InvalidTokenError(error.get("details", {}).get("reason", "refused")) from None
            raise Unavailable(f"tokens/check answers {refusal.code}") from None
        except (OSError, ValueError):
            raise Unavailable("Gatehouse does not answer") from None

    def refresh(self):
        """Fetches what has ended since the last time, and returns in how many seconds to come back."""
        try:
            page = self._post("revocations", {"cursor": self.cursor} if self.cursor else {})
        except urllib.error.HTTPError as refusal:
            hint = f": {WRONG_KEY}" if refusal.code in (401, 403) else ""
            raise OSError(f"revocations answers {refusal.code}{hint}") from None
        self._take(page["jwks"])
        claims = self._verified(page["revocations"], "revocations+jwt", ["iat"])
        self.revoked_keys.update(claims["revokedKeys"])
        for entry in claims["revocations"]:
            entries = self.revocations.setdefault(entry["sub"], [])
            if entry not in entries:
                entries.append(entry)
        self.everyone_before = max(self.everyone_before, claims.get("everyoneBefore") or 0)
        self.cursor = page["cursor"]
        # Tokens of before have ended by themselves.
        oldest = claims["iat"] - self.token_seconds - 60
        self.revocations = {
            user: kept for user, entries in self.revocations.items()
            if (kept := [entry for entry in entries if entry["revokedAt"] >= oldest])}
        if page["nextSeconds"] > 0:
            self.list_from = time.monotonic()
        return page["nextSeconds"]

    def _post(self, path, body, timeout=10):
        request = urllib.request.Request(
            f"{self.server}/v1/server/apps/{self.app}/{path}", json.dumps(body).encode(),
            {"X-Secret-Key": self.secret, "Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=timeout) as answer:
            return json.load(answer)

    def _take(self, jwks):
        self.keys = {key.key_id: key.key for key in jwt.PyJWKSet.from_dict(jwks).keys}
        self.keys_from = time.monotonic()

    def _verified(self, token, kind, required):
        header = jwt.get_unverified_header(token)
        if header.get("typ") != kind:
            raise jwt.InvalidTokenError("another kind of token")
        if header.get("kid") not in self.keys or header["kid"] in self.revoked_keys:
            raise jwt.InvalidTokenError("unknown key")
        claims = jwt.decode(
            token, self.keys[header["kid"]], algorithms=["ES256"], audience=self.app, leeway=30,
            options={"require": ["aud"] + required})
        return {**claims, "kid": header["kid"]}

    @staticmethod
    def _applies(entry, claims):
        """Whether all that the entry gives is true of the token."""
        if "sid" in entry and entry["sid"] != claims["sid"]:
            return False
        if "idp" in entry and (entry["idp"] != claims["idp"] or claims["iat"] >= entry["revokedAt"]):
            return False
        return "gen" not in entry or claims.get("gen", 0) < entry["gen"]
