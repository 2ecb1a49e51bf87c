# Writes the text of the kernels into a C++ file: PTX for NVIDIA GPUs, and the source that hiprtc compiles for AMD GPUs, which is one file with
# all that it includes.
cmake_minimum_required(VERSION 3.23)
set(image "nullptr")
set(image_sm80 "nullptr")
set(source "nullptr")
function(join file)
  get_property(seen GLOBAL PROPERTY seen)
  if(NOT "${file}" IN_LIST seen)
    set_property(GLOBAL APPEND PROPERTY seen "${file}")
    file(STRINGS ${ROOT}/${file} includes REGEX "^#include <topowise/")
    foreach(include IN LISTS includes)
      string(REGEX REPLACE "^#include <(.*)>$" "\\1" other "${include}")
      join(${other})
    endforeach()
    file(READ ${ROOT}/${file} text)
    string(REGEX REPLACE "#include <topowise/[^\n]*\n" "" text "${text}")
    string(REPLACE "#pragma once\n" "" text "${text}")
    set_property(GLOBAL APPEND_STRING PROPERTY joined "${text}")
  endif()
endfunction()
if(KERNELS)
  file(READ ${ROOT}/topowise/device/folds.ptx ptx)
  set(image "R\"ptx(${ptx})ptx\"")
  file(READ ${ROOT}/topowise/device/folds_sm80.ptx ptx)
  set(image_sm80 "R\"ptx(${ptx})ptx\"")
  join(topowise/device/folds.hip)
  get_property(joined GLOBAL PROPERTY joined)
  set(source "R\"hip(${joined})hip\"")
endif()
file(WRITE ${OUTPUT} "// Made by cmake/embed_kernels.cmake.
namespace topowise::device {
const char* fold_image();
const char* fold_image_sm80();
const char* fold_source();
const char* fold_image() {
  return ${image};
}
const char* fold_image_sm80() {
  return ${image_sm80};
}
const char* fold_source() {
  return ${source};
}
}  // namespace topowise::device
")
