// SPDX-License-Identifier: BSD-3-Clause
// The formats of texts that describe machines. Each is defined in a file of its own, in the folder of its kind.
#pragma once

#include <topowise/reading/format.hpp>

namespace topowise {

/// The file that NCCL writes for NCCL_TOPO_DUMP_FILE, and RCCL's.
extern const TopologyFormat kNcclXmlFormat;

/// hwloc's XML: `lstopo node.xml`.
extern const TopologyFormat kHwlocXmlFormat;

/// A log of NCCL or RCCL with its topology: NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=GRAPH.
extern const TopologyFormat kNcclLogFormat;

/// `nvidia-smi topo -m` (and -mp).
extern const TopologyFormat kNvidiaSmiFormat;

/// `rocm-smi --showtopo`, or a part of it (--showtoponuma).
extern const TopologyFormat kRocmSmiFormat;

/// `amd-smi topology`, `amd-smi xgmi`, or both in one text.
extern const TopologyFormat kAmdSmiFormat;

/// `ibnetdiscover`, `ibnetdiscover -p`, and ibsim's net files.
extern const TopologyFormat kIbnetdiscoverFormat;

/// Slurm's topology.conf and topology.yaml.
extern const TopologyFormat kSlurmFormat;

/// The nodes of Kubernetes with the labels that say where they are: `kubectl get nodes -o json`.
extern const TopologyFormat kKubernetesFormat;

/// The resources of Flux as a set (R, RFC 20) or as a graph (JGF, RFC 4).
extern const TopologyFormat kFluxFormat;

/// The nodes of PBS: pbsnodes -a -F json.
extern const TopologyFormat kPbsFormat;

/// Where each host is, as Slurm gives it to its tasks: srun --ntasks-per-node=1 env | grep ^SLURM_TOPOLOGY_ADDR.
extern const TopologyFormat kSlurmAddressFormat;

/// What topograph's engine `graph` answers, and what NetQ gives topograph.
extern const TopologyFormat kTopographFormat;

/// `lspci -tv`, with or without the records of `lspci -vmm` before or after it.
extern const TopologyFormat kLspciFormat;

/// What `lstopo` (hwloc 2) prints as text: `lstopo --of console`, `lstopo-no-graphics`.
extern const TopologyFormat kLstopoTextFormat;

/// One number for each pair of places: plain text, CSV, MatrixMarket, QAPLIB, and the output of benchmarks.
extern const TopologyFormat kPairMatrixFormat;

}  // namespace topowise
