// SPDX-License-Identifier: BSD-3-Clause
// The output of `nvidia-smi topo -m` from several hosts in one file. Each line follows the label of its host, and the
// lines come in any order: pdsh, `srun --label`, mpirun with tags.
#pragma once

#include <string>
#include <string_view>

#include <topowise/reading/located_text.hpp>

namespace topowise {

/// True if the lines with some label form a table.
[[nodiscard]] bool has_labelled_tables(std::string_view text);

/// If several hosts have a table: `text` with empty lines in place of the lines of all hosts but the first one.
/// Otherwise `text`. `warnings` names the hosts whose tables differ from that of the first host.
[[nodiscard]] std::string lines_of_one_host(const std::string& where, std::string text, Warnings& warnings);

}  // namespace topowise
