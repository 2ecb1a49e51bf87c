// SPDX-License-Identifier: BSD-3-Clause
// The model of a GPU by its PCI ids, used to know whether GPUs of its kind are joined by NVLink or xGMI.
#pragma once

#include <optional>
#include <string_view>

#include <topowise/graph/topology.hpp>

namespace topowise {

struct GpuModel {
  std::string_view name;         ///< "H100 SXM5"
  std::optional<LinkKind> bond;  ///< nvlink or xgmi on every board of this model; nothing: on no board, or only on some
};

/// Nothing for a model that is not in the table.
[[nodiscard]] std::optional<GpuModel> gpu_model(int vendor, int device);

}  // namespace topowise
