// SPDX-License-Identifier: BSD-3-Clause
// Reads the pickles of Python (protocols 0x2 to 0x5 of pickletools) as far as they hold data: dictionaries, lists,
// tuples, texts and numbers. Nothing of them is ever executed: a pickle that names a class or a function is refused.
#pragma once

#include <string_view>

#include <topowise/base/input.hpp>
#include <topowise/reading/json_events.hpp>

namespace topowise {

/// True for the beginning of a pickle of protocol 2 to 5. Python has written these since version 2.3.
[[nodiscard]] bool looks_like_pickle(std::string_view head);

/// Reads a pickle to its end, and then gives the visitor its content as if it were JSON: a dictionary is an object, a
/// list or tuple is an array. What is wrong in the pickle is an Error(bad_input) with the byte, what a visitor refuses
/// one with the path to the value. The values are kept until the end: a pickle of more than 2^20 lists and
/// dictionaries is an error.
void read_pickle_events(Input& bytes, JsonVisitor& visitor);

}  // namespace topowise
