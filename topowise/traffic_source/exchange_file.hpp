// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace topowise {

/// True if this is the path of a saved exchange (topowise.exchange/1), compressed or not.
[[nodiscard]] bool is_exchange_file(const std::string& path);

}  // namespace topowise
