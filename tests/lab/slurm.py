#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A Slurm cluster on this machine: each host is a slurmd with a name and a /dev/shm of its own (namespaces). Needs root, and slurmctld, slurmd and srun.

    slurm.py up FOLDER [HOSTS] [CORES] [GPUS]     hosts n0, n1, ... with so many cores and stand-ins for GPUs; keeps its files in FOLDER
    slurm.py run FOLDER COMMAND ...               on the first host, as srun -N 2 hostname
    slurm.py down FOLDER
"""

import os
import pathlib
import select
import shutil
import signal
import socket
import subprocess
import sys

PROGRAMS = ("slurmctld", "slurmd", "srun", "unshare")


def lack():
    """Says what this machine lacks for such a cluster; empty if nothing."""
    missing = [program for program in PROGRAMS if shutil.which(program) is None]
    if missing:
        return f"no {', '.join(missing)} (apt-get install slurmctld slurmd slurm-client)"
    if subprocess.run(["unshare", "--uts", "--mount", "true"], capture_output=True).returncode != 0:
        return "only root can give this machine other host names"
    return ""


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


class SlurmLab:
    """Its processes end with down(), or with the block of a `with` statement."""

    def __init__(self, folder, hosts=4, cores=8, gpus=8):
        self.folder = pathlib.Path(folder).absolute()
        self.hosts, self.cores, self.gpus = [f"n{i}" for i in range(hosts)], cores, gpus

    def __enter__(self):
        self.up()
        return self

    def __exit__(self, *_):
        self.down()

    def configuration(self):
        ports = free_ports(1 + len(self.hosts))
        here = self.folder
        lines = [
            "ClusterName=lab", f"SlurmctldHost={self.hosts[0]}(127.0.0.1)", f"SlurmctldPort={ports[0]}", "SlurmUser=root", "SlurmdUser=root",
            "AuthType=auth/none", "CredType=cred/none", f"StateSaveLocation={here}/state", f"SlurmdSpoolDir={here}/spool.%n",
            f"SlurmctldPidFile={here}/slurmctld.pid", f"SlurmdPidFile={here}/slurmd.%n.pid", f"SlurmctldLogFile={here}/slurmctld.log",
            f"SlurmdLogFile={here}/slurmd.%n.log", "ProctrackType=proctrack/linuxproc", "TaskPlugin=task/none", "MpiDefault=none",
            "SelectType=select/cons_tres", "SelectTypeParameters=CR_Core", "SlurmdParameters=config_overrides", "ReturnToService=2", "GresTypes=gpu",
            "PartitionName=all Nodes=ALL Default=YES State=UP MaxTime=INFINITE OverSubscribe=FORCE:4"]
        for host, port in zip(self.hosts, ports[1:]):
            lines.append(f"NodeName={host} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs={self.cores} Boards=1 SocketsPerBoard=1 "
                         f"CoresPerSocket={self.cores} ThreadsPerCore=1 RealMemory=1000 Gres=gpu:{self.gpus} State=UNKNOWN")
        return "\n".join(lines) + "\n"

    def up(self):
        for name in ["state", *(f"spool.{host}" for host in self.hosts)]:
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        for gpu in range(self.gpus):  # each is /dev/null: Slurm wants a device file for a GPU
            device = self.folder / f"gpu{gpu}"
            if not device.exists():
                os.mknod(device, 0o20666, os.makedev(1, 3))
        (self.folder / "slurm.conf").write_text(self.configuration())
        (self.folder / "gres.conf").write_text(f"Name=gpu File={self.folder}/gpu[0-{self.gpus - 1}]\n")
        (self.folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n")  # else slurmd looks for a plugin and may find none
        self.start_daemon(self.hosts[0], "slurmctld", "-i")
        for host in self.hosts:
            self.start_daemon(host, "slurmd", "-N", host)
        told = self.run("srun", "-N", str(len(self.hosts)), "hostname", check=False)
        if sorted(told.stdout.split()) != sorted(self.hosts):
            self.down()
            raise RuntimeError(f"the cluster does not start: {told.stderr}\n{(self.folder / 'slurmctld.log').read_text()[-2000:]}")

    def command(self, host, *command):
        own = 'hostname "$0" && mount -t tmpfs shm /dev/shm && exec "$@"'
        return ["unshare", "--uts", "--mount", "sh", "-c", own, host, *map(str, command)]

    def environment(self, **more):
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("SLURM_", "CUDA_", "HIP_", "ROCR_", "ZE_"))}
        return clean | {"SLURM_CONF": str(self.folder / "slurm.conf")} | {name: str(value) for name, value in more.items()}

    def start_daemon(self, host, *command):
        result = subprocess.run(self.command(host, *command), env=self.environment(), capture_output=True, text=True)
        if result.returncode != 0:
            raise RuntimeError(f"{command}: {result.stderr}")

    def start(self, *command, **environment):
        """The process of a command on the first host, with pipes."""
        return subprocess.Popen(self.command(self.hosts[0], *command), env=self.environment(**environment), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def run(self, *command, check=True, **environment):
        result = subprocess.run(self.command(self.hosts[0], *command), env=self.environment(**environment), capture_output=True, text=True)
        if check and result.returncode != 0:
            raise RuntimeError(f"{command}: {result.returncode}\n{result.stdout}\n{result.stderr}")
        return result

    def down(self):
        for file in self.folder.glob("*.pid"):
            try:
                process = os.pidfd_open(int(file.read_text()))
            except (ProcessLookupError, ValueError):
                continue
            signal.pidfd_send_signal(process, signal.SIGTERM)
            select.select([process], [], [])  # until it has ended, because its files are in the folder
            os.close(process)


def main(verb, folder, *words):
    if verb == "up":
        SlurmLab(folder, *map(int, words)).up()
    elif verb == "down":
        SlurmLab(folder).down()
    elif verb == "run" and words:
        lab = SlurmLab(folder)
        command = lab.command(lab.hosts[0], *words)
        os.execvpe(command[0], command, lab.environment())
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    if lack():
        sys.exit(f"slurm.py: {lack()}")
    main(*sys.argv[1:])
