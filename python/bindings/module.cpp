// SPDX-License-Identifier: BSD-3-Clause
#include "bindings.hpp"

#include <topowise/version.hpp>

NB_MODULE(_topowise, module) {
  using namespace topowise::python;
  module.attr("__version__") = TOPOWISE_VERSION;
  bind_errors(module);
  bind_traffic(module);
  bind_topology(module);
  bind_mapping(module);
  bind_congestion(module);
  bind_reorder(module);
  bind_started(module);
}
