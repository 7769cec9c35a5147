"""sqlmap over the parameters of the Server API: path, query, JSON bodies and headers."""

import concurrent.futures
import http.server
import json
import os
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

from player import Player
from server import APP, Server

# Each call is tried to the end of sqlmap's list. Only what hangs takes as long as this.
SECONDS = 15 * 60
LONG_SECONDS = 4 * 3600
MODE = ["--level", "1", "--risk", "3", "--technique", "BEU"]
LONG_MODE = ["--level", "5", "--risk", "3"]
HOURS = "begin=2026-01-01T00%3A00%3A00.000%2B00%3A00&end=2027-01-01T00%3A00%3A00.000%2B00%3A00"


def calls(user, token, subject):
    """What sqlmap changes stands in front of a `*`; without one it takes each parameter of the query."""
    gateway, member = f"/tcgb-gateway/v1.3/apps/{APP}", f"/tcgb-member/v1.3/apps/{APP}"
    launching, server = f"/tcgb-launching/v1.3/apps/{APP}", f"/v1/server/apps/{APP}"
    who = '"regUser":"a*"'
    return [
        ("GET", f"{gateway}/members/{user}*/tokens/{token}*?linkedIdP=true*", None),
        ("GET", f"{gateway}/members/{user}*/idps/guest*?accessToken={token}*", None),
        ("GET", f"{member}/members/{user}*?includeMemberInfo=true*", None),
        ("POST", f"{member}/members", f'["{user}*"]'),
        ("POST", f"{member}/auth/authKeys", f'["{user}*"]'),
        ("POST", f"{member}/members/userIds/authKeys?authSystem=gbid*", f'["{subject}@guest*"]'),
        ("POST", f"{gateway}/idps/guest*/members", f'["{subject}*"]'),
        ("GET", f"{member}/members/bans?{HOURS}&page=0&size=10&order=ASC", None),
        ("GET", f"{member}/members/bans/current?page=0&size=10&order=DESC", None),
        ("GET", f"{member}/members/bans/release?{HOURS}&page=0&size=10&order=ASC", None),
        ("GET", f"{member}/logs/withdrawal?{HOURS}&page=0&size=10&order=ASC&eventLogType=WITHDRAWAL", None),
        ("POST", f"{gateway}/members/ban",
         f'{{"userIdList":["{user}X*"],"banTypeCode":"PERMANENT*","banReason":"r*","flags":"f*",{who}}}'),
        ("DELETE", f"{gateway}/members/ban",
         f'{{"userIdList":["{user}X*"],"banReleaseReason":"r*","releaseUser":"a*"}}'),
        ("POST", f"{gateway}/members/transfer-account", '{"account":{"id":"abcdefgh*","password":"abcdefgh*"}}'),
        ("DELETE", f"{gateway}/members/{user}X*?regUser=a*", None),
        ("GET", f"{launching}/launching/simple?osCode=IOS&clientVersion=1.0.0", None),
        ("GET", f"/tcgb-member/v1.3/apps/{APP}*/members/{user}", None),
        ("POST", f"{server}/payments",
         f'{{"userId":"{user}*","paymentId":"p*","amount":1,"currency":"KRW*"}}'),
        ("POST", f"{server}/members/profile", f'{{"userId":"{user}*","provider":"guest*"}}'),
        ("POST", f"{server}/revocations", '{"cursor":"a*"}'),
        ("POST", f"{server}/tokens/check", f'{{"accessToken":"{token}*","userId":"{user}*"}}'),
        ("GET", f"/v1/apps/{APP}/callback/google*?state=a*&code=b*", None),
    ]


# Comes back in each answer: with one that changes, sqlmap could not tell one answer from another.
STEADY_ID = "audit"

# Tried with one call: every call reads them in the same place.
HEADERS = ["X-Secret-Key", "X-TCGB-Transaction-Id", "Idempotency-Key", "Accept-Language", "X-Forwarded-For"]


def run(audit):
    find_a_hole(audit)
    for engine in audit.engines:
        with Server(audit, engine) as server:
            player = Player(server.url, APP).log_in()
            member = player.call("GET", "/member", token=player.access)
            subject = member["mappings"][0]["subject"]
            trials = [Trial(server, engine, *call) for call in calls(player.user, player.access, subject)]
            for header in HEADERS:
                trials.append(Trial(server, engine, "GET", f"/tcgb-member/v1.3/apps/{APP}/members/{player.user}", None,
                                    header))
            with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
                outcomes = list(pool.map(lambda trial: trial.run(audit.is_long), trials))
            for trial, (requests, is_whole, holes) in zip(trials, outcomes):
                for hole in holes:
                    audit.finding(f"{engine}: {trial.name}: {hole}")
                if requests == 0:
                    audit.finding(f"{engine}: {trial.name}: nothing was tried, see {trial.report}")
                if not is_whole:
                    audit.finding(f"{engine}: {trial.name}: sqlmap hangs, see {trial.report}")
            tried = sum(requests for requests, _, _ in outcomes)
            audit.say(f"{engine}: {tried} requests for {len(trials)} calls")
            audit.watch(server)


class Trial:
    """sqlmap with one call."""

    count = 0

    def __init__(self, server, engine, method, path, body, header=None):
        Trial.count += 1
        self.name = f"{method} {path.split('?')[0]}{f' ({header})' if header else ''}"
        self.folder = server.folder / f"sqlmap{Trial.count}"
        self.folder.mkdir()
        self.report = self.folder / "report"
        headers = {
            "Host": urllib.parse.urlsplit(server.url).netloc,
            "X-Secret-Key": server.secret,
            "X-TCGB-Transaction-Id": STEADY_ID,
        }
        if body is not None:
            headers["Content-Type"] = "application/json"
        if header is not None:
            headers[header] = headers.get(header, "en") + "*"
        lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items()), "", body or ""]
        self.request = self.folder / "request"
        self.request.write_text("\r\n".join(lines))
        self.engine = engine

    def run(self, is_long):
        """How many requests were made, whether sqlmap came to its end, and the holes that it names."""
        command = [
            str(pathlib.Path(sys.executable).parent / "sqlmap"), "-r", str(self.request), "--batch", "--flush-session", "--disable-coloring",
            "--output-dir", str(self.folder / "out"), "--dbms", self.engine, "--ignore-code", "*", "--timeout", "30",
            *(LONG_MODE if is_long else MODE),
        ]
        traffic = self.folder / "traffic"
        command += ["-t", str(traffic)]
        whole = True
        with open(self.report, "wb") as out:
            process = subprocess.Popen(
                command, stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                env={**os.environ, "HOME": str(self.folder)})
            try:
                process.wait(LONG_SECONDS if is_long else SECONDS)
            except subprocess.TimeoutExpired:
                whole = False
                process.terminate()
                process.wait()
        text = self.report.read_text(errors="replace")
        # sqlmap numbers its requests in the traffic file.
        requests = 0
        if traffic.exists():
            with open(traffic, errors="replace") as lines:
                for line in lines:
                    if line.startswith("HTTP request [#"):
                        requests += 1
            traffic.unlink()
        holes = re.findall(r"^.*(?:is vulnerable|identified the following injection).*$", text, re.MULTILINE)
        return requests, whole, holes


class Hole(http.server.BaseHTTPRequestHandler):
    """A server with a hole, in the form of the real one: what sqlmap does not find here it would find nowhere."""

    def do_GET(self):
        name = urllib.parse.unquote(self.path.split("/")[-1].split("?")[0])
        database = sqlite3.connect(":memory:")
        database.execute("CREATE TABLE members (name TEXT)")
        database.execute("INSERT INTO members VALUES ('alice')")
        try:
            found = database.execute(f"SELECT name FROM members WHERE name = '{name}'").fetchall()
        except sqlite3.Error:
            found = []
        header = {"transactionId": STEADY_ID, "isSuccessful": bool(found), "resultCode": 0 if found else -4_000_404}
        answer = {"header": header}
        if found:
            answer["member"] = {"userId": found[0][0], "valid": "Y", "regDate": "2026-11-21T00:00:00+00:00", "authList": []}
        else:
            # Failures of the real server have the time in them.
            header["resultMessage"] = "There is no such member."
            header["traceError"] = {"trackingTime": time.time_ns() // 1_000_000, "throwPoint": "member"}
        body = json.dumps(answer)
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, format, *arguments):
        pass


def find_a_hole(audit):
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hole) as hole, tempfile.TemporaryDirectory() as folder:
        threading.Thread(target=hole.serve_forever, daemon=True).start()

        class Place:
            url = f"http://127.0.0.1:{hole.server_address[1]}"
            secret = "none"

        Place.folder = pathlib.Path(folder)
        trial = Trial(Place, "sqlite", "GET", "/tcgb-member/v1.3/apps/a/members/alice*", None)
        requests, _, holes = trial.run(False)
        hole.shutdown()
        if not holes:
            print(trial.report.read_text(errors="replace")[-4000:])
    if holes:
        audit.say(f"a server with a hole: found with {requests} requests")
    else:
        audit.finding(f"sqlmap does not find the hole of a server that has one ({requests} requests)")
