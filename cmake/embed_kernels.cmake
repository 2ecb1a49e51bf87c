# Writes the text of the kernels into a C++ file.
set(value "nullptr")
if(KERNELS)
  file(READ ${TEXT} content)
  set(value "R\"ptx(${content})ptx\"")
endif()
file(WRITE ${OUTPUT} "// Made from folds.ptx by cmake/embed_kernels.cmake.
namespace topowise::device {
const char* fold_image();
const char* fold_image() {
  return ${value};
}
}  // namespace topowise::device
")
