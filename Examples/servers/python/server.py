"""A game's server: who am I, a purchase that asks Gatehouse, and a WebSocket that lives longer than a token.

Run it with `uvicorn server:app --workers 2`. The inner application is plain ASGI, where yours has FastAPI or another framework.
"""
import json
import os

import jwt

from gatehouse import Gatehouse
from middleware import GatehouseMiddleware


async def game(scope, receive, send):
    if scope["type"] == "websocket":
        await play(scope, receive, send)
        return
    if scope["type"] == "lifespan":
        while (message := await receive())["type"] != "lifespan.shutdown":
            await send({"type": f"{message['type']}.complete"})
        await send({"type": "lifespan.shutdown.complete"})
        return
    known = (scope["method"], scope["path"]) in {("GET", "/me"), ("POST", "/purchase")}
    await send({"type": "http.response.start", "status": 200 if known else 404, "headers": [(b"content-type", b"application/json")]})
    await send({"type": "http.response.body", "body": json.dumps({"user": scope["player"]["sub"]}).encode() if known else b""})


async def play(scope, receive, send):
    await receive()
    await send({"type": "websocket.accept"})
    await send({"type": "websocket.send", "text": f"hello {scope['player']['sub']}"})
    while (message := await receive())["type"] == "websocket.receive":
        text = message.get("text") or ""
        if text.startswith("token "):
            try:
                await scope["connection"].renew(text[len("token "):])
                reply = "renewed"
            except jwt.PyJWTError as error:
                reply = f"refused {error}"
        else:
            reply = f"echo {text}"
        await send({"type": "websocket.send", "text": reply})


app = GatehouseMiddleware(
    game, Gatehouse(os.environ["GATEHOUSE_SERVER"], os.environ["GATEHOUSE_APP"], os.environ["GATEHOUSE_SECRET"]),
    max_list_seconds=float(os.environ.get("MAX_LIST_SECONDS", "3600")), ask_for=lambda path: path == "/purchase",
    ask_seconds=float(os.environ.get("ASK_SECONDS", "2")))
