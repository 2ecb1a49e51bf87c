#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Shows the main use of topowise from end to end, with real MPI ranks.

Records a halo exchange on 16 ranks, maps it onto two GPU servers, predicts the gain, and measures it on two emulated hosts if it runs
as root. Leaves its files in demo-output/ (or $TOPOWISE_DEMO_OUTPUT).
"""

import argparse
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
PARSER = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
PARSER.add_argument("build_dir", metavar="BUILD_DIR", nargs="?", type=pathlib.Path, default="build/release", help="where topowise was built [%(default)s]")
BUILD = PARSER.parse_args().build_dir
OUT = pathlib.Path(os.environ.get("TOPOWISE_DEMO_OUTPUT", "demo-output"))
PROGRAMS = [BUILD / "bin", BUILD / "bin" / "examples"]  # in PATH: what is shown as a command is what runs
TOPOWISE = "topowise"
RANKS = 16
RECORDED, MEASURED = 200, 30  # iterations
BLOCK = ["--size", "256x768"]
LAB = [sys.executable, HERE.parent / "tests" / "lab" / "lab.py", "--name", f"demo{os.getpid() % 100000}"]

# The family's name in tests/lab/, the names of its launcher, Debian's first, and the options that it needs.
FAMILIES = {
    "openmpi4": (["mpirun.openmpi", "mpirun"], ["--oversubscribe", *(["--allow-run-as-root"] if os.geteuid() == 0 else [])]),
    "mpich4": (["mpiexec.mpich", "mpiexec"], []),
}


class Stopped(Exception):
    """A step went wrong; its output is the message."""


class NotHere(Stopped):
    """This machine cannot emulate hosts."""


def run(*command, seconds=None):
    """The standard output of a command. If it takes more than `seconds`, it is ended with all processes that it has started."""
    environment = {**os.environ, "PATH": ":".join([*(str(folder.resolve()) for folder in PROGRAMS), os.environ["PATH"]])}
    words = [str(word) for word in command]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, start_new_session=True) as process:
        try:
            out, errors = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGTERM)
            process.communicate()
            raise NotHere(f"the job on emulated hosts was not done after {seconds} s") from None
    if process.returncode != 0:
        raise Stopped(f"{' '.join(words)}\n{out}{errors}")
    return out


def bold(text):
    return f"\033[1m{text}\033[0m" if sys.stdout.isatty() and "NO_COLOR" not in os.environ else text


def step(title, *command):
    """Shows a step and its command, and runs the command."""
    print(f"\n{bold(title)}\n$ {shlex.join(map(str, command))}", flush=True)
    return run(*command)


def family():
    for name, (launchers, options) in FAMILIES.items():
        program = PROGRAMS[-1] / f"halo_exchange.{name.rstrip('0123456789')}"
        launcher = next((launcher for launcher in launchers if shutil.which(launcher)), None)
        if launcher and program.exists():
            return name, [launcher, *options], program
    raise Stopped("no MPI library with its compiler wrapper: tools/install-deps.sh demo")


def exchange_seconds(mapping):
    """Seconds of one exchange, predicted under congestion."""
    numbers = json.loads(run(TOPOWISE, "evaluate", OUT / "halo.traffic", OUT / "two-servers.json", "--mapping", mapping, "--json"))
    return numbers["predicted_time_s"] / RECORDED


def in_order_of_ranks(name, hosts):
    """The options of lab.py by which rank i runs on hosts[i]."""
    sequential = {"openmpi4": ["--option=--mca", "--option=rmaps", "--option=seq"], "mpich4": []}
    return ["--hosts", ",".join(hosts), *sequential[name]]


def iteration_seconds(name, program, options, *before):
    output = run(*LAB, *options, "mpirun", name, RANKS, *before, program.resolve(), *BLOCK, "--iterations", MEASURED, seconds=60)
    return float(re.search(r"([\d.]+) ms per iteration", output).group(1)) / 1e3


def measure(name, program):
    """Seconds of an iteration on two emulated hosts: with ranks as MPI starts them, and as mapped. Raises NotHere if there can be no emulated hosts."""
    if os.geteuid() != 0:
        raise NotHere("emulating two hosts takes root")
    try:
        run(*LAB, "up", HERE / "two-servers.fabric")
    except Stopped as reason:
        raise NotHere(str(reason).strip().splitlines()[-1]) from None
    try:
        hosts = run(TOPOWISE, "map", OUT / "halo.traffic", OUT / "two-servers.json", "--emit", "slurm-hostfile").split()
        mapped = [(PROGRAMS[0] / TOPOWISE).resolve(), "run", "--mapping", (OUT / "mapping.json").resolve(), "--verify", "--"]
        return iteration_seconds(name, program, []), iteration_seconds(name, program, in_order_of_ranks(name, hosts), *mapped)
    finally:
        run(*LAB, "down")


def time_text(seconds):
    return f"{seconds * 1e3:.1f} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.1f} us"


def show_gain(what, before, after):
    print(f"  {what:<62} {time_text(before):>9} {time_text(after):>9}   {before / after:.1f}x faster", flush=True)


def main():
    name, launcher, program = family()
    OUT.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(OUT / "halo.traffic", ignore_errors=True)
    run("two_servers", OUT / "two-servers.json")

    folders = [str(folder if folder.is_absolute() else pathlib.Path("$PWD") / folder) for folder in PROGRAMS]
    print(f'$ export PATH="{":".join([*folders, "$PATH"])}"')
    print(step("1. Record: an unchanged MPI program, a library beside it counts", *launcher, "-n", RANKS, TOPOWISE, "run", "--profile",
               OUT / "halo.traffic", "--", program.name, *BLOCK, "--iterations", RECORDED).splitlines()[-2])
    text = step("2. Map: onto two servers with 8 L40S each", TOPOWISE, "map", OUT / "halo.traffic", OUT / "two-servers.json", "--save",
                OUT / "mapping.json")
    print(text[text.index("traffic by level"):].rstrip())

    print(f"\n{bold('3. What it is worth')}\n  {'':<62} {'before':>9} {'after':>9}")
    show_gain("predicted, an exchange on these servers", exchange_seconds("identity"), exchange_seconds(OUT / "mapping.json"))
    try:
        show_gain("measured, an iteration on two emulated hosts, 1 Mbit/s", *measure(name, program))
    except NotHere as reason:
        print(f"  not measured: {reason}")

    run(TOPOWISE, "report", OUT / "halo.traffic", OUT / "two-servers.json", "--mapping", OUT / "mapping.json", "--save", OUT / "report.html")
    print(f"\nThe whole picture, in your browser: {OUT / 'report.html'}")


if __name__ == "__main__":
    try:
        main()
    except Stopped as reason:
        print(f"demo: error: {reason}", file=sys.stderr)
        sys.exit(4)
