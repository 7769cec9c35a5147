import asyncio
import concurrent.futures
import json
import logging
import time

import jwt

from gatehouse import Unavailable

# The codes with which a WebSocket is closed: the game gets a fresh token for the first, and asks the SDK why for the second.
EXPIRED, REVOKED, TRY_LATER = 4401, 4403, 1013
LEEWAY_SECONDS, LONGEST_PAUSE_SECONDS = 30, 30
log = logging.getLogger("gatehouse")


class GatehouseMiddleware:
    """An ASGI middleware (FastAPI, Starlette, Django, Quart) that lets requests and WebSockets of players in.

    The application finds the player's claims in scope["player"], and for a WebSocket scope["connection"], whose renew(token) it
    calls with each fresh token that the game sends. A WebSocket whose player is banned, kicked out or gone is closed.

    Failure policy: while Gatehouse can't be reached, players are accepted by the last list of revocations until that list is
    max_list_seconds old. Then requests get 503 and connections are closed with 1013. A shorter time means that a ban is never
    missed for longer than that; a longer one means that players go on playing through a longer outage. An hour is the most that
    has a meaning, because no access token lives longer. Requests that ask Gatehouse get 503 after ask_seconds; see Questions.

    Each worker process has its own list, fetched from its start on.
    """

    def __init__(
            self, app, gatehouse, max_list_seconds=3600, ask_for=(), is_open=lambda path: False, ask_seconds=2, most_asks=8):
        """ask_for says for which paths Gatehouse itself is asked: a list of whole paths, or a function. is_open says which need no
        player."""
        self.questions = Questions(gatehouse, ask_seconds, most_asks)
        self.app, self.gatehouse, self.max_list_seconds = app, gatehouse, max_list_seconds
        self.asks = ask_for if callable(ask_for) else frozenset(ask_for).__contains__
        self.is_open = is_open
        self.connections, self.tasks = set(), []

    async def __call__(self, scope, receive, send):
        if not self.tasks:
            self.tasks = [asyncio.ensure_future(self._refresh()), asyncio.ensure_future(self._sweep_forever())]
        if scope["type"] == "lifespan":
            await self._lifespan(scope, receive, send)
        elif self.is_open(route(scope)):
            await self.app(scope, receive, send)
        elif scope["type"] == "http":
            await self._http(scope, receive, send)
        else:
            await self._websocket(scope, receive, send)

    async def player(self, token, ask=False):
        """The claims of a good token. Raises Unavailable, or another jwt.PyJWTError."""
        if not token:
            raise jwt.InvalidTokenError("no token")
        if self.gatehouse.list_age() > self.max_list_seconds:
            raise Unavailable("no recent list of revocations")
        # A check that fetches keys first runs in a thread. All others wait for nothing.
        if self.gatehouse.wants_keys(token):
            claims = await asyncio.to_thread(self.gatehouse.check, token)
        else:
            claims = self.gatehouse.check(token)
        if ask:
            await self.questions.ask(token)
        return claims

    async def _http(self, scope, receive, send):
        try:
            player = await self.player(bearer(scope), self.asks(route(scope)))
        except jwt.PyJWTError as error:
            away = isinstance(error, Unavailable)
            extra = (b"retry-after", b"5") if away else (b"www-authenticate", b'Bearer error="invalid_token"')
            await send({"type": "http.response.start", "status": 503 if away else 401,
                        "headers": [(b"content-type", b"application/json"), extra]})
            await send({"type": "http.response.body", "body": json.dumps({"error": str(error)}).encode()})
            return
        await self.app({**scope, "player": player}, receive, send)

    async def _websocket(self, scope, receive, send):
        try:
            connection = Connection(self, await self.player(bearer(scope)))
        except jwt.PyJWTError as error:
            await receive()
            # Before the handshake this is an answer with status 403: ASGI knows no other.
            await send({"type": "websocket.close", "code": TRY_LATER if isinstance(error, Unavailable) else EXPIRED})
            return
        self.connections.add(connection)

        async def watched():
            message, ended = asyncio.ensure_future(receive()), asyncio.ensure_future(connection.ended.wait())
            await asyncio.wait((message, ended), return_when=asyncio.FIRST_COMPLETED)
            ended.cancel()
            if not connection.close:
                return await message
            message.cancel()
            await send({"type": "websocket.close", "code": connection.close[0], "reason": connection.close[1]})
            return {"type": "websocket.disconnect", "code": connection.close[0]}

        try:
            await self.app({**scope, "player": connection.player, "connection": connection}, watched, send)
        finally:
            self.connections.discard(connection)

    async def _lifespan(self, scope, receive, send):
        async def watched():
            message = await receive()
            if message["type"] == "lifespan.shutdown":
                for task in self.tasks:
                    task.cancel()
            return message

        await self.app(scope, watched, send)

    async def _refresh(self):
        failures, said = 0, None
        while True:
            try:
                pause = await asyncio.to_thread(self.gatehouse.refresh)
                failures, said = 0, None
            except (OSError, ValueError, KeyError, jwt.PyJWTError) as error:
                if str(error) != said:
                    said = str(error)
                    log.warning("Gatehouse can't be asked for revocations: %s", said)
                pause = min(2 ** failures, LONGEST_PAUSE_SECONDS)
                failures += 1
            self._sweep()
            await asyncio.sleep(pause)

    async def _sweep_forever(self):
        while True:
            await asyncio.sleep(1)
            self._sweep()

    def _sweep(self):
        is_old = self.gatehouse.list_age() > self.max_list_seconds
        for connection in list(self.connections):
            if self.gatehouse.is_revoked(connection.player):
                connection.end(REVOKED, "revoked")
            elif connection.player["exp"] <= time.time() - LEEWAY_SECONDS:
                connection.end(EXPIRED, "expired")
            elif is_old:
                connection.end(TRY_LATER, "Gatehouse is out of reach")


class Questions:
    """Bounds what asking Gatehouse may cost while it hangs: each question takes `seconds`, at most `most` are under way, and
    after FAILURES failures in a row only one question every PAUSE_SECONDS tries again (a circuit breaker)."""

    FAILURES, PAUSE_SECONDS = 3, 5

    def __init__(self, gatehouse, seconds, most):
        self.gatehouse, self.seconds, self.most = gatehouse, seconds, most
        self.under_way, self.failures, self.retry_from = 0, 0, 0.0
        # Threads of their own: the refresh must not wait behind questions that hang.
        self.threads = concurrent.futures.ThreadPoolExecutor(most, "gatehouse-ask")

    async def ask(self, token):
        if self.under_way >= self.most:
            raise Unavailable("too many requests wait for Gatehouse")
        now = time.monotonic()
        if self.failures >= self.FAILURES:
            if now < self.retry_from:
                raise Unavailable("Gatehouse has not answered lately")
            self.retry_from = now + self.PAUSE_SECONDS
        self.under_way += 1
        answer = asyncio.get_running_loop().run_in_executor(self.threads, self.gatehouse.ask, token, self.seconds)
        answer.add_done_callback(self._answered)
        try:
            # The timeout of a socket begins anew with each byte, this one does not.
            await asyncio.wait_for(asyncio.shield(answer), self.seconds)
        except asyncio.TimeoutError:
            raise Unavailable("Gatehouse does not answer") from None

    def _answered(self, answer):
        self.under_way -= 1
        if answer.cancelled() or isinstance(answer.exception(), Unavailable):
            self.failures += 1
            self.retry_from = time.monotonic() + self.PAUSE_SECONDS
        else:
            self.failures = 0


class Connection:
    """A WebSocket that outlives its first token."""

    def __init__(self, middleware, player):
        self.middleware, self.player, self.close, self.ended = middleware, player, None, asyncio.Event()

    async def renew(self, token):
        player = await self.middleware.player(token)
        if player["sub"] != self.player["sub"]:
            raise jwt.InvalidTokenError("of another player")
        self.player = player

    def end(self, code, reason):
        self.middleware.connections.discard(self)
        self.close = (code, reason)
        self.ended.set()


def route(scope):
    """The path as the application's router sees it: without the prefix of uvicorn's --root-path."""
    path, root = scope["path"], scope.get("root_path", "")
    return path[len(root):] if path.startswith(f"{root}/") else path


def bearer(scope):
    """The token of `Authorization: Bearer TOKEN`. It never stands in a URL, because URLs are logged."""
    values = [value.decode("latin-1") for name, value in scope["headers"] if name == b"authorization"]
    return values[0][len("Bearer "):] if len(values) == 1 and values[0].startswith("Bearer ") else None
