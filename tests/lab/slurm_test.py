#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Jobs and steps of a real Slurm (slurm.py) on nodes with eight stand-ins for GPUs: none leaves its share, and ranks run where they are mapped.

    slurm_test.py TOPOWISE FAKE_CUDA FAKE_NVML
"""

import os
import pathlib
import re
import shlex
import sys
import tempfile
import unittest

import slurm

TOPOWISE = FAKE_CUDA = FAKE_NVML = ""
NODE = "preset:dgx1-v100"
# Prints which GPU a program takes that chooses by its local rank, as nearly all do.
TAKES = "set -- $(echo $CUDA_VISIBLE_DEVICES | tr , ' '); shift $((SLURM_LOCALID % ($# > 0 ? $# : 1))); echo gpu $SLURM_PROCID $(hostname) $1"
BINDINGS = ["", "--gpu-bind=none", "--gpu-bind=closest", "--gpu-bind=single:1", "--gpu-bind=map_gpu:4,5,6,7", "--gres=gpu:4", "--gres=gpu:4 --gpu-bind=none",
            "--gpus-per-task=1", "--gpus-per-task=1 --gpu-bind=none", "--exact", "--exact --gpu-bind=none", "--overlap", "--overlap --gpu-bind=none"]


class Jobs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        lack = slurm.lack()
        if lack and os.environ.get("TOPOWISE_REQUIRE_ALL") == "1":
            raise AssertionError(lack)
        if lack:
            raise unittest.SkipTest(lack)
        cls.scratch = tempfile.TemporaryDirectory(prefix="topowise-slurm-")
        cls.folder = pathlib.Path(cls.scratch.name)
        cls.lab = slurm.SlurmLab(cls.folder / "lab", hosts=3)
        cls.lab.up()

    @classmethod
    def tearDownClass(cls):
        cls.lab.down()
        cls.scratch.cleanup()

    def batch(self, options, *lines):
        """What the script of a job prints. `tw` is the program, $F the folder of the test."""
        script = self.folder / "script"
        script.write_text("\n".join([
            "#!/bin/sh", f"export F={self.folder} TOPOWISE_CUDA_LIBRARY={FAKE_CUDA} TOPOWISE_NVML_LIBRARY={FAKE_NVML} TOPOWISE_FAKE_NODE={NODE}",
            f"export TOPOWISE_FAKE_FOLDER={self.folder} TOPOWISE_FAKE_MEMORY_MIB=4 TOPOWISE_PROFILES={self.folder}/profiles", f"tw={TOPOWISE}", "cd $F", *lines]) + "\n")
        out = self.folder / "out"
        self.lab.run("sbatch", "--wait", "-o", out, *options.split(), script, check=False)
        return out.read_text()

    def taken(self, text):
        """By rank: (host, GPU), of lines that TAKES printed."""
        return {int(rank): (host, gpu) for rank, host, gpu in re.findall(r"^gpu (\d+) (\S+) ?(\S*)$", text, re.MULTILINE)}

    def held(self, gpus):
        """A job on n0 that holds that many GPUs; yields them and ends with the block."""
        process = self.lab.start("srun", "-w", "n0", "-n1", f"--gpus-per-node={gpus}", "sh", "-c", "echo $CUDA_VISIBLE_DEVICES; exec cat")
        return process, set(process.stdout.readline().strip().split(","))

    def test_no_binding_leaves_the_share(self):
        """Beside a job that has GPUs 0-3, in every form of binding and with what map and live say."""
        other, others = self.held(4)
        try:
            forms = [f"echo FORM {shlex.quote(form)}; srun -n4 {form} $tw run {how} --verify -- sh -c {shlex.quote(TAKES)}"
                     for form in BINDINGS for how in ("--auto", "--mapping $F/live.map")]
            text = self.batch("-w n0 -N1 -n4 --gpus-per-node=4", "$tw topology live --save $F/live.json",
                              "$tw map pattern:ring:4 $F/live.json --mapper identity --save $F/live.map --json > /dev/null", *forms)
        finally:
            other.communicate("")
        self.assertIn("4 of 8 GPUs are this job's (CUDA_VISIBLE_DEVICES, SLURM_JOB_GPUS)", text)
        parts = text.split("FORM ")[1:]
        self.assertEqual(len(parts), 2 * len(BINDINGS))
        own = {str(gpu) for gpu in range(8)} - others
        for number, part in enumerate(parts):
            gpus = {gpu for _, gpu in self.taken(part).values()}
            with self.subTest(part.splitlines()[0], mapping=number % 2):
                self.assertLessEqual(gpus, own, part)
                if "per-task=1\n" not in part and "single" not in part and "map_gpu" not in part:
                    self.assertEqual(gpus, own, part)
                    self.assertIn("4 ranks on n0", part)

    def test_a_mapping_to_the_gpus_of_another_job_is_refused(self):
        other, others = self.held(4)
        try:
            text = self.batch("-w n0 -N1 -n4 --gpus-per-node=4", "$tw topology live:node --save $F/node.json > /dev/null",
                              f"$tw map pattern:ring:4 $F/node.json --allow {','.join(sorted(others))} --save $F/other.map --json > /dev/null",
                              f"srun -n4 --gpu-bind=none $tw run --mapping $F/other.map -- sh -c {shlex.quote(TAKES)}")
        finally:
            other.communicate("")
        self.assertIn("which is not among the job's GPUs here (SLURM_JOB_GPUS)", text)
        self.assertEqual(self.taken(text), {})

    def test_steps_side_by_side(self):
        """Two steps with two GPUs each; a step whose GPUs nothing names is not mapped."""
        step = "srun --exact -n2 --gpus-per-node=2"
        text = self.batch("-w n0 -N1 -n4 --gpus-per-node=4", "mkfifo $F/begun $F/end",
                          f"{step} $tw run --auto -- sh -c {shlex.quote(TAKES + '; [ $SLURM_PROCID = 1 ] || { echo > $F/begun; read x < $F/end; }')} > $F/one 2>&1 &",
                          "read x < $F/begun", f"{step} $tw run --auto -- sh -c {shlex.quote(TAKES)} > $F/two 2>&1",
                          "echo > $F/end; wait", "cat $F/one; echo NEXT; cat $F/two",
                          f"echo NEXT; {step} --gpu-bind=none $tw run --auto -- true")
        one, two, three = text.split("NEXT")
        first, second = ({gpu for _, gpu in self.taken(part).values()} for part in (one, two))
        self.assertEqual((len(first), len(second), len(first & second)), (2, 2, 0), text)
        self.assertIn("this job or step has 2 of", three)
        self.assertIn("no rank of this node is mapped", three)

    def test_other_nodes_than_that_of_the_script(self):
        """Without a list in the environment Slurm itself is asked: the list of the script's node says nothing about another one."""
        other, others = self.held(2)
        try:
            text = self.batch("-w n0,n1 -N2 -n4 --ntasks-per-node=2 --gpus-per-node=2",
                              f"srun -n4 --gpu-bind=none $tw run --auto -- sh -c {shlex.quote(TAKES)}")
        finally:
            other.communicate("")
        gpus = self.taken(text).values()
        self.assertEqual({gpu for host, gpu in gpus if host == "n0"} & others, set(), text)
        self.assertEqual({gpu for host, gpu in gpus if host == "n1"}, {"0", "1"}, text)

    def test_uneven_job(self):
        """Seven ranks on one host and one on the other: not as a mapping to one node says, but as one to the job's hosts."""
        text = self.batch("-w n0,n1 -N2 -n8 --gpus-per-node=8", "echo SwitchName=s Nodes=n[0-2] > $F/topology.conf",
                          f"$tw map pattern:ring:8 {NODE} --save $F/one.map --json > /dev/null", "srun -n8 $tw run --mapping $F/one.map --verify -- echo started; echo NEXT",
                          f"$tw map pattern:ring:8 cluster:$F/topology.conf,{NODE},hosts=job --save $F/two.map --emit slurm-hostfile > $F/hosts; sort $F/hosts | uniq -c",
                          "SLURM_HOSTFILE=$F/hosts srun -n8 --distribution=arbitrary $tw run --mapping $F/two.map --verify --wait 1min -- echo started")
        one, two = text.split("NEXT")
        self.assertNotIn("started", one)
        self.assertIn("ranks of the node 7 instead of 0-7", one)
        self.assertRegex(two, r"7 n0\n *1 n1\n")
        self.assertIn("the job has 7 of 8 places of n0, 1 of 8 places of n1 (SLURM_TASKS_PER_NODE)", two)
        self.assertEqual(two.count("\nstarted"), 8, two)
        self.assertIn("verify: 7 ranks on n0: host, list of visible GPUs", two)

    def test_heterogeneous_job(self):
        """All components are mapped, with the GPUs that each has on its hosts."""
        other, _ = self.held(3)
        try:
            text = self.batch("-w n0,n1 -N2 -n4 --ntasks-per-node=2 --gpus-per-node=2 : -w n2 -N1 -n1 --gpus-per-node=1",
                              "echo SwitchName=s Nodes=n[0-2] > $F/topology.conf", f"$tw topology cluster:$F/topology.conf,{NODE},hosts=job | grep -E '^ +[0-9]+ +n'",
                              f"$tw map pattern:ring:5 cluster:$F/topology.conf,{NODE},hosts=job --mapper identity --save $F/het.map --json > /dev/null",
                              f"srun --het-group=0,1 $tw run --mapping $F/het.map --verify -- sh -c {shlex.quote(TAKES)}")
        finally:
            other.communicate("")
        self.assertEqual(re.findall(r"^ +\d+ +(\S+)", text, re.MULTILINE), ["n0:GPU3", "n0:GPU4", "n1:GPU0", "n1:GPU1", "n2:GPU0"], text)
        self.assertEqual(self.taken(text), {0: ("n0", "3"), 1: ("n0", "4"), 2: ("n1", "0"), 3: ("n1", "1"), 4: ("n2", "0")}, text)

    def test_a_cancelled_job_leaves_no_meeting(self):
        """The second rank never comes; a signal ends the first, which waits for it."""
        text = self.batch("-w n0 -N1 -n2 --gpus-per-node=2", "mkfifo $F/began $F/never",
                          "srun -n2 sh -c '[ $SLURM_PROCID = 1 ] && { echo > $F/began; exec cat $F/never; }; exec '$tw' run --auto --wait 1h -- true' &",
                          "read x < $F/began; until ls /dev/shm/topowise-0/*/open.* 2> /dev/null; do sleep 0.1; done", "scancel -s TERM $SLURM_JOB_ID.0; wait",
                          "echo left $(ls -A /dev/shm)")
        self.assertRegex(text, r"/dev/shm/topowise-0/\w+/open\.")
        self.assertIn("left\n", text)

    def test_runs_in_one_folder_have_names(self):
        """%j and %s are the numbers of job and step."""
        text = self.batch("-w n0 -N1 -n1", "srun -n1 $tw run --profile $F/p.%j.%s -- sh -c 'echo $TOPOWISE_PROFILE $SLURM_JOB_ID'",
                          "$tw topology tree:2 --save $F/t.%j.json", "$tw run --profile $F/p.%s -- true")
        self.assertRegex(text, r"/p\.(\d+)\.0 \1\n")
        self.assertRegex(text, r"wrote \S+/t\.\d+\.json")
        self.assertIn("--profile: %s is the number of the step, and no batch system states it", text)


if __name__ == "__main__":
    TOPOWISE, FAKE_CUDA, FAKE_NVML = sys.argv[1:4]
    unittest.main(argv=sys.argv[:1] + sys.argv[4:], verbosity=2)
