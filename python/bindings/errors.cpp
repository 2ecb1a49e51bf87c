// SPDX-License-Identifier: BSD-3-Clause
// topowise::Error becomes an exception of topowise._errors, with the text that the program prints.
#include <nanobind/stl/string.h>

#include <exception>

#include <topowise/error.hpp>

#include "bindings.hpp"

namespace topowise::python {
namespace {

nb::list diagnostics_of(const Error& error) {
  nb::list all;
  for (const Diagnostic& wrong : error.diagnostics()) {
    all.append(nb::make_tuple(to_text(wrong.where), wrong.position.line, wrong.position.column, to_text(wrong.what),
                              to_text(wrong.source_line), to_text(wrong.hint), to_text(wrong.render("error"))));
  }
  return all;
}

void translate(const std::exception_ptr& thrown, void* /*unused*/) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    const nb::object made = nb::module_::import_("topowise._errors")
                                .attr("from_library")(static_cast<int>(error.status()), diagnostics_of(error));
    PyErr_SetObject(made.type().ptr(), made.ptr());
  }
}

}  // namespace

nb::str to_text(const std::string& bytes) {
  PyObject* text = PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "backslashreplace");
  if (text == nullptr) nb::raise_python_error();
  return nb::steal<nb::str>(text);
}

std::string path_of(nb::handle given) {
  PyObject* made = nullptr;
  if (PyUnicode_FSConverter(given.ptr(), &made) == 0) nb::raise_python_error();
  const nb::bytes path = nb::steal<nb::bytes>(made);
  return {path.c_str(), path.size()};
}

void bind_errors(nb::module_& /*module*/) {
  nb::register_exception_translator(translate);
}

}  // namespace topowise::python
