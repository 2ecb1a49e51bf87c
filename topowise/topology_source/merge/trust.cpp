// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/merge/trust.hpp>

namespace topowise {

Trust trust_in(std::string_view source) {
  const auto is = [&](std::string_view name) { return source.starts_with(name); };
  if (is("measured")) return Trust::measured;
  if (source.ends_with("(constant)") || source.ends_with("(width not known)")) return Trust::placeholder;
  if (source.ends_with("(as printed)") || is("nvidia-smi") || is("nccl-xml")) return Trust::tool;
  if (is("rocm-smi") || is("amd-smi") || is("cuda") || is("hip")) return Trust::wiring;
  if (is("hwloc") || is("nvml") || is("nccl")) return Trust::backend;
  return is("preset") ? Trust::preset : Trust::stated;
}

std::string_view reason_for(Trust trust) {
  switch (trust) {
    case Trust::placeholder:
      return "nothing better is known";
    case Trust::wiring:
      return "it comes from this machine";
    case Trust::preset:
      return "it knows the width of each bond of this model";
    case Trust::stated:
      return "its description states the bond";
    case Trust::backend:
      return "it counts the links of each bond";
    case Trust::tool:
      return "the vendor's tool counts the links of each bond";
    case Trust::measured:
      return "it is a measurement";
  }
  return {};
}

}  // namespace topowise
