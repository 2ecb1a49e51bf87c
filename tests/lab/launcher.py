# SPDX-License-Identifier: BSD-3-Clause
"""The command line that starts an MPI job on the hosts of a lab, for each family of MPI libraries."""

from network import Network

# What a family needs in addition to its launcher: {agent} stands in for ssh; {hosts}; {slots} on each host; {pairs} "host:slots"; {network}.
OPTIONS = {
    "openmpi4": "--allow-run-as-root --mca plm rsh --mca plm_rsh_agent {agent} --host {pairs} --bind-to none --mca oob_tcp_if_include {network} "
                "--mca btl_tcp_if_include {network} --mca pml ob1 --mca btl self,vader,tcp --mca mpi_yield_when_idle 1",
    "openmpi5": "--allow-run-as-root --prtemca plm ssh --prtemca plm_ssh_agent {agent} --host {pairs} --bind-to none --prtemca prte_if_include {network} "
                "--mca btl_tcp_if_include {network} --mca pml ob1 --mca btl self,sm,tcp --mca mpi_yield_when_idle 1",
    "mpich4": "-launcher rsh -launcher-exec {agent} -hosts {pairs} -genv UCX_TLS tcp,self -genv UCX_NET_DEVICES eth0",
    "mpich5": "-launcher rsh -launcher-exec {agent} -hosts {pairs} -genv MPIR_CVAR_CH4_NETMOD ofi -genv FI_PROVIDER tcp",
    "intel": "-bootstrap rsh -bootstrap-exec {agent} -hosts {hosts} -ppn {slots} -genv I_MPI_FABRICS shm:ofi -genv I_MPI_OFI_PROVIDER tcp "
             "-genv FI_TCP_IFACE eth0",
}
OPTIONS["mpich5-abi"] = OPTIONS["mpich5"]
OPTIONS["intel-abi"] = OPTIONS["intel"]

# Options that let ranks go round the hosts, instead of filling one host after the other.
ROUND_ROBIN = {"openmpi4": ["--map-by", "node"], "openmpi5": ["--map-by", "node"]}


def options(lab: Network, family, ranks, hosts=None, cyclic=False, rankmap=None):
    """Options of the launcher of `family` ("openmpi4", "mpich5", ...) for a job of `ranks` ranks on `hosts` (all hosts, in order). The words of
    `rankmap`, which `topowise map --emit hydra-rankmap` prints, replace hydra's own list of hosts."""
    hosts = hosts or lab.fabric.hosts
    slots = -(-ranks // len(hosts))
    each = 1 if cyclic and family not in ROUND_ROBIN else slots  # hydra goes round a list of hosts with one slot on each
    template = OPTIONS[family].replace("-hosts {pairs}", rankmap) if rankmap else OPTIONS[family]
    text = template.format(agent=lab.agent(), hosts=",".join(hosts), slots=each, pairs=",".join(f"{host}:{each}" for host in hosts),
                                  network=Network.NETWORK)
    return text.split() + (ROUND_ROBIN.get(family, []) if cyclic else [])


def job(lab: Network, family, launcher, ranks, command, hosts=None, cyclic=False, more=(), rankmap=None):
    """The whole command, which runs on the first host. `launcher` is mpirun with its path, as a list; `more` has further options."""
    first = (hosts or lab.fabric.hosts)[0]
    return lab.command(first, *launcher, *options(lab, family, ranks, hosts, cyclic, rankmap), *more, "-n", str(ranks), *command)
