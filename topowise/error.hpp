// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What the functions of the library throw: topowise::Error, and nothing else of their own.
///
/// An error carries the exit status that the program `topowise` ends with, and one Diagnostic for each thing that is
/// wrong: the file with line and column, the offending text, and a hint.
///
/// @code
/// try {
///   const topowise::Topology machine = topowise::load_topology("node.xml");
/// } catch (const topowise::Error& error) {
///   for (const topowise::Diagnostic& wrong : error.diagnostics()) std::cerr << wrong.render("error") << '\n';
///   return static_cast<int>(error.status());
/// }
/// @endcode
#pragma once

#include <topowise/base/error.hpp>
