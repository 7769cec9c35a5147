"""The parsers that see bytes from outside, with inputs that libFuzzer makes up, guided by what they reach in the code."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from server import ROOT

PACKAGE = ROOT / "Fuzz"
CORPUS = PACKAGE / "Corpus"
# A number and no time, so that a seed makes the same inputs on every machine.
RUNS = 200_000
LONG_SECONDS = 600


def run(audit):
    subprocess.run(
        [str(ROOT / "scripts/swift"), "build", "-c", "release", "--package-path", str(PACKAGE)], check=True, stdout=subprocess.DEVNULL)
    program = PACKAGE / ".build/release/gatehouse-fuzz"
    targets = subprocess.run([str(program), "list"], check=True, capture_output=True, text=True).stdout.split()
    bound = f"-max_total_time={LONG_SECONDS}" if audit.is_long else f"-runs={RUNS}"
    folder = pathlib.Path(tempfile.mkdtemp(prefix="gatehouse-fuzz."))
    waiting, running = list(targets), []
    while waiting or running:
        while waiting and len(running) < (os.cpu_count() or 1):
            running.append(Run(program, waiting.pop(0), bound, audit.seed, folder))
        running.pop(0).finish(audit)
    shutil.rmtree(folder)


class Run:
    def __init__(self, program, target, bound, seed, folder):
        self.target = target
        self.new = folder / target
        self.new.mkdir()
        self.log = folder / f"{target}.log"
        # What libFuzzer found before is tried first; what it finds now goes to a folder of its own.
        command = [
            str(program), target, f"-seed={seed}", bound, "-timeout=60", "-rss_limit_mb=2048",
            f"-artifact_prefix={self.new}/", str(self.new), str(CORPUS / target),
        ]
        # Swift's own account of a trap would come before libFuzzer has kept the input.
        environment = {**os.environ, "SWIFT_BACKTRACE": "enable=no"}
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, env=environment)

    def finish(self, audit):
        status = self.process.wait()
        text = self.log.read_text(errors="replace")
        done = re.search(r"Done (\d+) runs", text)
        reached = re.findall(r"cov: (\d+)", text)
        if status == 0 and done:
            audit.say(f"{self.target}: {done[1]} inputs, {reached[-1] if reached else '?'} places of the code reached")
            return
        broken = re.search(r"^broken: .*|^.*Fatal error.*|^.*ERROR: libFuzzer.*", text, re.MULTILINE)
        kept = []
        for pattern in ("crash-*", "timeout-*", "oom-*"):
            for artifact in self.new.glob(pattern):
                # In the corpus it is tried each time from now on: to be committed with the repair.
                kept.append(str(pathlib.Path(shutil.copy(artifact, CORPUS / self.target)).relative_to(ROOT)))
        audit.finding(f"{self.target}: {broken[0] if broken else f'ended with {status}'}: {', '.join(kept)}")
