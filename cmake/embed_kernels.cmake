# Writes the text of the kernels into a C++ file. An empty text stands for "no kernels".
file(READ ${TEXT} content)
if(content STREQUAL "")
  set(value "nullptr")
else()
  set(value "R\"ptx(${content})ptx\"")
endif()
file(WRITE ${OUTPUT} "// Made from the GPU kernels by cmake/embed_kernels.cmake.
namespace topowise::device {
const char* ${FUNCTION}();
const char* ${FUNCTION}() {
  return ${value};
}
}  // namespace topowise::device
")
