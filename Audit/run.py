"""Tries a server with tools that nobody here wrote: `make audit`. Each part says what it tried and what it found."""

import argparse
import os
import random
import sys
import time

import fuzz
import injection
import openapi
import slow_clients

PARTS = {
    "fuzz": fuzz.run,
    "clients": slow_clients.run,
    "schemathesis": openapi.run,
    "sqlmap": injection.run,
}


class Audit:
    def __init__(self, seed, is_long):
        self.seed = seed
        self.is_long = is_long
        self.part = ""
        self.findings = []

    @property
    def engines(self):
        """SQLite, and in the long form PostgreSQL too, where `scripts/with-postgres` has started one."""
        has_other = self.is_long and "GATEHOUSE_TEST_POSTGRES" in os.environ
        return ["sqlite", "postgresql"] if has_other else ["sqlite"]

    def say(self, text):
        print(f"audit: {self.part}: {text}", flush=True)

    def finding(self, text):
        self.findings.append(f"{self.part}: {text}")
        self.say(f"FINDING: {text}")

    def watch(self, server):
        """After each part: the same process lives, no answer was 5xx, nothing was unforeseen."""
        for text in server.findings():
            self.finding(text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="", help=f"parts, separated by commas: {', '.join(PARTS)}")
    parser.add_argument("--long", action="store_true", help="hours instead of minutes, and PostgreSQL too")
    parser.add_argument("--seed", type=int, default=random.randrange(2**31))
    arguments = parser.parse_args()
    only = [name for name in arguments.only.split(",") if name] or list(PARTS)
    unknown = set(only) - set(PARTS)
    if unknown:
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    audit = Audit(arguments.seed, arguments.long)
    print(f"audit: seed {audit.seed} (SEED={audit.seed} makes the same inputs again)", flush=True)
    for name in only:
        audit.part = name
        start = time.monotonic()
        try:
            PARTS[name](audit)
        except Exception as error:  # A part that breaks off has not shown that all is well.
            audit.finding(f"the part broke off: {error!r}")
        audit.say(f"done after {time.monotonic() - start:.0f} s")
    for text in audit.findings:
        print(f"audit: FINDING: {text}")
    print(f"audit: {len(only)} parts, {len(audit.findings)} findings")
    sys.exit(1 if audit.findings else 0)


if __name__ == "__main__":
    main()
