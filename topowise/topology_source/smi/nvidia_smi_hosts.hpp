// SPDX-License-Identifier: BSD-3-Clause
// The output of `nvidia-smi topo -m` from several hosts in one file, each line behind the label of its host, in any
// order: pdsh, `srun --label`, mpirun with tags.
#pragma once

#include <string>
#include <string_view>

#include <topowise/reading/located_text.hpp>

namespace topowise {

/// True if the lines of some label are a table.
[[nodiscard]] bool has_labelled_tables(std::string_view text);

/// `text` with empty lines in the place of those that belong to other hosts than the first one, if several have a
/// table; else `text`. Hosts whose tables differ from that of the first one are told in `warnings`.
[[nodiscard]] std::string lines_of_one_host(const std::string& where, std::string text, Warnings& warnings);

}  // namespace topowise
