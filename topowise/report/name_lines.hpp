// SPDX-License-Identifier: BSD-3-Clause
// Names in boxes: broken into lines, so that no letter is lost where a box is narrow.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace topowise {

/// The name in lines of at most `letters` letters. Breaks at spaces and behind "-", "_", ".", ":" and dashes; inside a
/// word only where the word alone is longer. A name of more than `lines` full lines is shortened with an ellipsis in
/// front of its last number, which distinguishes a device from others of its kind.
[[nodiscard]] std::vector<std::string> name_lines(const std::string& name, std::size_t letters, std::size_t lines = 4);

}  // namespace topowise
