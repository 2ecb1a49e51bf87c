// SPDX-License-Identifier: BSD-3-Clause
// The style sheet of the page.
#pragma once

#include <string_view>

namespace topowise {

/// CSS for light, dark and paper. Before is orange, after is blue: a pair that all common forms of colour blindness
/// keep apart (Okabe and Ito, Color Universal Design, 2008); drawings say in words as well which is which.
[[nodiscard]] std::string_view page_style();

}  // namespace topowise
