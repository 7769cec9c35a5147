"""Reads a line for each access token, or `refresh`, and answers with a line each."""

import os
import sys

import jwt

from gatehouse import Gatehouse

gatehouse = Gatehouse(os.environ["GATEHOUSE_SERVER"], os.environ["GATEHOUSE_APP"], os.environ["GATEHOUSE_SECRET"])
for line in map(str.strip, sys.stdin):
    try:
        print(f"next {gatehouse.refresh()}" if line == "refresh" else f"user {gatehouse.check(line)['sub']}", flush=True)
    except (OSError, jwt.PyJWTError) as error:
        print(f"refused {error}", flush=True)
