#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Real torchrun jobs on an emulated cluster (tests/lab): PyTorch's order of the nodes, and the one of --rdzv-backend=topowise. Needs root.

    torchrun_lab.py PYTHON [RUNS]        PYTHON has torch and topowise; prints step times and bytes on the slow wire, also when a node was replaced
    torchrun_lab.py PYTHON --test        the same as a test: bytes, losses, ranks; then an agent ends, and another joins

Hosts a0, a2, a4 are on one switch, a1, a3, a5 on another, and 100 Mbit/s join the switches: the order of the names is bad for groups of two
neighbouring nodes.
"""

import functools
import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "tests" / "lab"))
import fabric  # noqa: E402
import network  # noqa: E402

FABRIC = "\n".join(
    [f"host a{i}" for i in range(6)] + ["switch s0", "switch s1"] + [f"link a{i} s{i % 2} 400mbit" for i in range(6)] + ["link s0 s1 100mbit"]
)
TOPOLOGY = "SwitchName=s0 Nodes=a0,a2,a4\nSwitchName=s1 Nodes=a1,a3,a5\nSwitchName=top Switches=s[0-1]\n"
TRAFFIC = "traffic=llm:tp=2,pp=2,hidden=256,layers=4,sequence=16,microbatches=1"
JOB = HERE / "torchrun_job.py"


@functools.lru_cache
def is_old(python):
    """Whether this PyTorch does not look for handlers of other packages."""
    asks = "import torch.distributed.elastic.rendezvous.registry as r, sys; sys.exit(hasattr(r, '_register_out_of_tree_handlers'))"
    return subprocess.run([python, "-c", asks], check=False).returncode == 0


class Job:
    """Agents on hosts of a lab, and what their ranks write."""

    def __init__(self, lab, python, folder, number, backend, conf="", more=()):
        self.lab, self.python, self.backend = lab, python, backend
        self.out = folder / f"job{number}"
        self.out.mkdir()
        self.conf, self.more, self.number = conf, list(more), number
        self.module = "topowise_torchrun" if backend == "topowise" and is_old(python) else "torch.distributed.run"
        self.agents = {}

    def start(self, host, steps=6, path=None):
        words = [self.python, "-m", self.module, "--nnodes=4", "--nproc_per_node=2", f"--rdzv_backend={self.backend}", "--rdzv_endpoint=a0:29555",
                 f"--rdzv_id=job{self.number}", *(["--rdzv_conf", self.conf] if self.conf else []), *self.more, str(JOB), str(self.out), str(steps)]
        environment = {**os.environ, "GLOO_SOCKET_IFNAME": "eth0", "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
        if path is not None:
            environment["PYTHONPATH"] = os.pathsep.join(filter(None, (str(path), environment.get("PYTHONPATH"))))
        for name in [name for name in environment if name.startswith("SLURM_")]:
            del environment[name]
        self.agents[host] = subprocess.Popen(self.lab.command(host, *words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                             env=environment, start_new_session=True)  # fmt: skip

    def end(self, host):
        """Ends all that runs on a host, as if it had lost its power."""
        agent = self.agents.pop(host)
        running = subprocess.run(["ip", "netns", "pids", self.lab.namespace(host)], capture_output=True, text=True, check=True).stdout
        for process in running.split():
            os.kill(int(process), signal.SIGKILL)
        agent.communicate()

    def wait(self):
        """What the agents have printed on standard error."""
        printed = {}
        try:
            for host, agent in self.agents.items():
                printed[host] = agent.communicate(timeout=600)[1]
                if agent.returncode != 0:
                    raise AssertionError(f"{host} ended with {agent.returncode}:\n{printed[host]}")
        finally:
            self.clean()
        return printed

    def clean(self):
        for host in [host for host, agent in self.agents.items() if agent.returncode is None]:
            self.end(host)

    def ranks(self):
        found = [json.loads(path.read_text(encoding="utf-8")) for path in self.out.glob("*.json")]
        return sorted(found, key=lambda each: each["rank"])

    def order(self):
        return [each["host"] for each in self.ranks()[::2]]


def slow_bytes(lab):
    sent = lab.sent()
    return sent["s0", "s1"].bytes + sent["s1", "s0"].bytes


def run(lab, python, folder, number, backend, conf="", hosts=("a0", "a1", "a2", "a3"), more=()):
    job = Job(lab, python, folder, number, backend, conf, more)
    before = slow_bytes(lab)
    for host in hosts:
        job.start(host)
    printed = job.wait()
    return job, slow_bytes(lab) - before, [line for text in printed.values() for line in text.splitlines() if line.startswith("topowise: ")]


def until(reached, job):
    """Waits for it. Raises AssertionError for an agent that ends before."""
    while not reached() and all(agent.poll() is None for agent in job.agents.values()):
        time.sleep(0.2)
    for host, agent in job.agents.items():
        if agent.poll() is not None:
            raise AssertionError(f"{host} ended with {agent.returncode}:\n{agent.communicate()[1]}")


def run_elastic(lab, python, folder, number, backend, conf=""):
    """A job of which a2 ends after its steps, so that a4 joins and all steps are done again. (order before, what run() gives of the second round)"""
    job = Job(lab, python, folder, number, backend, conf, ["--max_restarts=3"])
    try:
        (job.out / "wait").touch()
        for host in ("a0", "a1", "a2", "a3"):
            job.start(host)
        until(lambda: len(job.ranks()) == 8, job)
        order = job.order()
        for path in job.out.glob("*.json"):
            path.unlink()
        job.end("a2")
        before = slow_bytes(lab)
        job.start("a4")
        until(lambda: len(job.ranks()) == 8, job)
        (job.out / "wait").unlink()
        printed = job.wait()
    finally:
        job.clean()
    return order, job, slow_bytes(lab) - before, [line for text in printed.values() for line in text.splitlines() if line.startswith("topowise: ")]


def row(name, job, slow, lines):
    step = statistics.median(job.ranks()[0]["seconds"][1:])
    losses = [each["losses"] for each in job.ranks() if each["losses"][-1] is not None]
    print(f"{name:18} step {1e3 * step:6.1f} ms, {slow / 1e6:6.2f} MB between the switches, loss {losses[0][-1]!r}, {','.join(job.order())}, {lines}", flush=True)


def table(python, runs):
    with tempfile.TemporaryDirectory() as scratch, network.Network("torchrun", fabric.parse(FABRIC)) as lab:
        folder = pathlib.Path(scratch)
        (folder / "topology.conf").write_text(TOPOLOGY, encoding="utf-8")
        conf = f"{TRAFFIC},topology={folder}/topology.conf"
        for number in range(runs):
            for backend, given in (("c10d", ""), ("topowise", conf)):
                row(backend, *run(lab, python, folder, f"{backend}{number}", backend, given, hosts=("a3", "a1", "a0", "a2")))
                try:
                    row(f"{backend}, a4 joins", *run_elastic(lab, python, folder, f"{backend}{number}elastic", backend, given)[1:])
                except AssertionError as failed:  # PyTorch's own restart may run out of time on a loaded machine
                    print(f"{backend}, a4 joins: {str(failed).splitlines()[-1]}", flush=True)


class Torchrun(unittest.TestCase):
    python = ""

    @classmethod
    def setUpClass(cls):
        try:
            network.check_possible()
        except network.NotPossible as problem:
            if os.environ.get("TOPOWISE_REQUIRE_ALL") == "1":
                raise
            raise unittest.SkipTest(str(problem)) from None
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.scratch.name)
        (cls.folder / "topology.conf").write_text(TOPOLOGY, encoding="utf-8")
        cls.conf = f"{TRAFFIC},topology={cls.folder}/topology.conf"
        cls.lab = network.Network("torchrun", fabric.parse(FABRIC))
        cls.lab.up()

    @classmethod
    def tearDownClass(cls):
        cls.lab.down()
        cls.scratch.cleanup()

    def losses(self, job):
        return [each["losses"] for each in job.ranks()]

    def test_fewer_bytes_on_the_slow_wire_and_the_same_losses(self):
        plain, slow, _ = run(self.lab, self.python, self.folder, "plain", "c10d")
        ours, left, lines = run(self.lab, self.python, self.folder, "ours", "topowise", self.conf, hosts=("a3", "a1", "a0", "a2"))
        self.assertEqual(plain.order(), ["a0", "a1", "a2", "a3"])
        self.assertEqual({frozenset(ours.order()[:2]), frozenset(ours.order()[2:])}, {frozenset({"a0", "a2"}), frozenset({"a1", "a3"})})
        self.assertLess(left, 0.25 * slow)
        self.assertEqual(self.losses(ours), self.losses(plain))
        self.assertEqual({each["master"] for each in ours.ranks()}, {ours.order()[0]} if not is_old(self.python) else {ours.order()[0]})
        self.assertEqual(len(lines), 1, lines)
        self.assertRegex(lines[0], "4 nodes ordered by the topology: hop-bytes between nodes are .*% less than in PyTorch's order, proven optimal")

    def test_what_cannot_be_known_leaves_pytorchs_order(self):
        for number, (conf, why) in enumerate([(TRAFFIC, "does not know which switches"), (f"topology={self.folder}/topology.conf", "no traffic is known")]):
            job, _, lines = run(self.lab, self.python, self.folder, f"unknown{number}", "topowise", conf)
            self.assertEqual(job.order(), ["a0", "a1", "a2", "a3"])
            self.assertEqual(len(lines), 1, lines)
            self.assertIn(why, lines[0])
            self.assertTrue(lines[0].endswith("; the nodes keep PyTorch's order"), lines)

    def test_an_agent_ends_and_another_joins(self):
        before, job, _, lines = run_elastic(self.lab, self.python, self.folder, "elastic", "topowise", self.conf)
        self.assertEqual(job.order(), ["a4" if host == "a2" else host for host in before])  # nobody else has moved
        self.assertEqual({each["master"] for each in job.ranks()}, {job.order()[0]})
        self.assertTrue(lines[-1].endswith("; 0 of 3 nodes have another rank than before"), lines)

    def test_a_node_that_writes_no_description(self):
        """One agent has a package of another version, and one a store that writes garbage: the job runs in PyTorch's order."""
        for number, damage in enumerate(("agreement.VERSION = 2", "agreement._written = lambda facts: '[' * 50000", "agreement._written = lambda facts: '7' * 1000000")):
            job = Job(self.lab, self.python, self.folder, f"damaged{number}", "topowise", self.conf)
            for host in ("a0", "a1", "a2"):
                job.start(host)
            site = self.folder / f"site{number}"
            site.mkdir()
            (site / "sitecustomize.py").write_text(f"from topowise_torchrun import _agreement as agreement\n{damage}\n", encoding="utf-8")
            job.start("a3", path=site)
            lines = [line for text in job.wait().values() for line in text.splitlines() if line.startswith("topowise: ")]
            self.assertEqual(job.order(), ["a0", "a1", "a2", "a3"])
            self.assertEqual(len(lines), 1, lines)
            self.assertTrue(lines[0].startswith("topowise: node 3 ") and lines[0].endswith("; the nodes keep PyTorch's order"), lines)


if __name__ == "__main__":
    Torchrun.python = sys.argv[1]
    if "--test" in sys.argv:
        unittest.main(argv=sys.argv[:1], verbosity=2)
    table(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 3)
