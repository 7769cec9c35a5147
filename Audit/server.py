"""A server of the audit's own: started on a free port with a fresh database, watched, and stopped."""

import collections
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.parse
import uuid

ROOT = pathlib.Path(__file__).resolve().parent.parent
BINARY = pathlib.Path(os.environ.get("GATEHOUSE_BINARY", ROOT / "Server/.build/debug/gatehouse"))
# `gatehouse dev` makes this app, without limits: one machine makes all the calls here.
APP = "devgame"
# 8002: an identity provider can't be asked (502). 3701: the app is not in service (503).
CODES_BY_DESIGN = {8002, 3701}
START_SECONDS = 60
STOP_SECONDS = 60


class Server:
    """`with Server(audit, engine) as server:` runs `gatehouse dev`, or `gatehouse serve` with the arguments that are given. Its folder, with
    its log, stays when the audit has found anything meanwhile."""

    def __init__(self, audit, engine="sqlite", serve=None):
        self.audit = audit
        self.findings_before = len(audit.findings)
        self.engine = engine
        self.serve = serve
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="gatehouse-audit."))
        self.log_path = self.folder / "log"
        self.said_path = self.folder / "out"
        self.process = None
        self.url = self.secret = self.providers = self.database_url = None

    def database(self):
        if self.engine == "sqlite":
            return f"sqlite:{self.folder}/gatehouse.db"
        base = os.environ["GATEHOUSE_TEST_POSTGRES"]
        name = f"audit_{uuid.uuid4().hex[:12]}"
        subprocess.run(["psql", "-q", base, "-c", f"CREATE DATABASE {name}"], check=True)
        return urllib.parse.urlsplit(base)._replace(path=f"/{name}").geturl()

    def __enter__(self):
        try:
            self.start()
        except BaseException as error:
            self.__exit__(type(error), error, None)
            raise
        return self

    def start(self):
        self.database_url = self.database()
        database = ["--database", self.database_url]
        if self.serve is None:
            command = [str(BINARY), "dev", "--port", "0", *database]
        else:
            self.run("migrate", *database)
            created = self.run("app", "create", APP, "--name", "Audit", *database)
            self.secret = re.search(r"gsk_\S+", created)[0]
            self.run("app", "limits", APP, "--new-guests", "0", "--refused-proofs", "0", *database)
            command = [str(BINARY), "serve", "--port", "0", *database, *self.serve]
        with open(self.log_path, "wb") as log, open(self.said_path, "wb") as said:
            self.process = subprocess.Popen(command, cwd=self.folder, stdout=said, stderr=log, stdin=subprocess.DEVNULL)
        end = time.monotonic() + START_SECONDS
        while not self.is_ready():
            if self.process.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"the server did not start:\n{self.log_path.read_text(errors='replace')}")
            time.sleep(0.05)

    def run(self, *arguments):
        done = subprocess.run([str(BINARY), *arguments], cwd=self.folder, capture_output=True, text=True, timeout=60)
        if done.returncode != 0:
            raise RuntimeError(f"gatehouse {arguments[0]} failed: {done.stderr}")
        return done.stdout

    def is_ready(self):
        if self.serve is not None:
            for line in self.log():
                if line.get("message") == "serving":
                    scheme = "https" if "--tls-certificate" in self.serve else "http"
                    self.url = f"{scheme}://127.0.0.1:{line['port']}"
                    return True
            return False
        said = self.said_path.read_text(errors="replace")
        if "Stop with Ctrl-C" not in said:
            return False
        self.url = re.search(r"URL +(\S+)", said)[1]
        self.secret = re.search(r"secret key +(\S+)", said)[1]
        self.providers = re.search(r"send reports at (\S+)", said)[1]
        return True

    def log(self):
        """The lines of the server's log. What is no JSON is the process's last words."""
        for line in self.log_path.read_text(errors="replace").splitlines():
            try:
                yield json.loads(line)
            except ValueError:
                yield {"level": "critical", "message": line}

    def findings(self):
        """What no call may bring about: a process that ended, a failure that nobody foresaw, an answer of 5xx."""
        found = collections.Counter()
        if self.process.poll() is not None:
            found[f"the server has ended with {self.process.returncode}"] += 1
        for line in self.log():
            status = str(line.get("status", ""))
            if line.get("level") in ("error", "critical"):
                found[f"log: {line.get('message')}: {line.get('error', '')}"[:400]] += 1
            elif status.startswith("5") and int(line.get("code", 0)) not in CODES_BY_DESIGN:
                found[f"answered {status}, code {line.get('code')}: {line.get('method')} {line.get('route')}"] += 1
        return [f"{text} ({times} times)" for text, times in found.items()]

    def stop(self):
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def __exit__(self, kind, error, trace):
        self.stop()
        if kind is None and len(self.audit.findings) == self.findings_before:
            shutil.rmtree(self.folder, ignore_errors=True)
        else:
            self.audit.say(f"the server's folder stays, with its log: {self.folder}")
