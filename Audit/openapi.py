"""schemathesis: calls made up from the OpenAPI document, signed like a player's, and every answer held against it."""

import json
import os
import pathlib
import re
import subprocess
import sys

from player import OLD_GAME_KEY
from server import APP, ROOT, Server

FOLDER = pathlib.Path(__file__).resolve().parent
EXAMPLES = 20
LONG_EXAMPLES = 1_000


def set_sources(server):
    """Players may come from an old game: by its session tokens, or by the word of the game's server."""
    key = server.folder / "old-game.key"
    key.write_text(OLD_GAME_KEY)
    source = ["import", "source", "set", "--app", APP, "--database", server.database_url]
    server.run(*source, "old-game", "--kind", "nakama", "--secret-file", str(key))
    server.run(*source, "vouched", "--kind", "csv", "--confirm", "server")


def run(audit):
    for engine in audit.engines:
        with Server(audit, engine) as server:
            set_sources(server)
            report = server.folder / "report"
            environment = {
                **os.environ,
                "AUDIT_URL": server.url,
                "AUDIT_APP": APP,
                "AUDIT_SECRET": server.secret,
                "AUDIT_SEED": str(audit.seed),
                "AUDIT_SUCCESSES": str(server.folder / "successes"),
                "SCHEMATHESIS_HOOKS": "schemathesis_hooks",
                "PYTHONPATH": str(FOLDER),
            }
            command = [
                str(pathlib.Path(sys.executable).parent / "schemathesis"),
                "--config-file", str(FOLDER / "schemathesis.toml"),
                "run", str(ROOT / "docs/openapi.yaml"), "--url", server.url, "--checks", "all",
                # Gamebase's Server API answers 200 whatever happens: checks that go by the status say nothing of it. `injection.py`
                # tries it.
                "--exclude-path-regex", "^/tcgb-",
                "--seed", str(audit.seed), "--no-shrink", "--output-sanitize", "false",
                "--max-examples", str(LONG_EXAMPLES if audit.is_long else EXAMPLES),
            ]
            with open(report, "wb") as out:
                status = subprocess.run(
                    command, cwd=server.folder, env=environment, stdout=out, stderr=subprocess.STDOUT).returncode
            text = report.read_text(errors="replace")
            made = re.search(r"(\d+) generated", text)
            operations = re.search(r"Tested: +(\d+)", text)
            audit.say(f"{engine}: {made and made[1]} calls of {operations and operations[1]} operations")
            successes = json.loads((server.folder / "successes").read_text())
            never = sorted(operation for operation, times in successes.items() if not times)
            # What no call has got past has not been tried. No chance is in it: the first call of an operation succeeds by its scene, or
            # needs nothing but a player (`schemathesis_hooks.py`).
            if never:
                audit.finding(f"{engine}: never answered with success: {', '.join(never)}")
            # A run that has made no call has shown nothing.
            if status != 0 or not made or int(made[1]) < 100:
                # What a hook has raised stands under ERRORS, before the FAILURES of checks.
                heading = re.search(r"^=+ (ERRORS|FAILURES) =+$", text, re.MULTILINE)
                print(text[heading.start() :] if heading else text[-4000:])
                audit.finding(f"{engine}: schemathesis ended with {status}: see above")
            audit.watch(server)
