// SPDX-License-Identifier: BSD-3-Clause
// The style sheet of the page.
#pragma once

#include <string_view>

namespace topowise {

/// CSS for light, dark and paper. Before is orange, after is blue: two colours that can be told apart in all common
/// forms of colour blindness (Okabe and Ito, Color Universal Design, 2008). Drawings also say in words which is which.
[[nodiscard]] std::string_view page_style();

}  // namespace topowise
