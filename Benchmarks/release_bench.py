"""The options and the run of gatehouse-bench that the programs of this folder share."""
import argparse
import os
import subprocess

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")


def parser(description, calls, seconds):
    """The options that both have: the programs of `make release`, the seconds of a measurement, and the calls."""
    options = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--server", default=f"{ROOT}/Server/.build-release/release/gatehouse")
    options.add_argument("--bench", default=f"{ROOT}/Benchmarks/.build/release/gatehouse-bench")
    options.add_argument("--seconds", type=float, default=seconds)
    options.add_argument("calls", nargs="*", default=calls, metavar="CALL")
    return options


def start(options, call, engine, figures, table=subprocess.DEVNULL):
    """Starts the benchmark of one call. It writes a line of JSON for each measurement to `figures`, and its table to `table`."""
    return subprocess.Popen(
        [options.bench, "--server", options.server, "--output", figures, "--seconds", str(options.seconds), "--engines", engine,
         "--only", call], stdout=table, stderr=None if table is subprocess.DEVNULL else subprocess.STDOUT)
