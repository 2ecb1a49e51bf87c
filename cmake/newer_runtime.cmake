# A library of the system may need symbols of a newer C++ runtime than the one that an older compiler of the same system links with: fmt on Debian 13
# with GCC 13. Programs find the newer runtime when they start, so the linker need not see its symbols.
include(CheckCXXSourceCompiles)

# topowise_allow_newer_runtime(LIBRARY...): tries out whether a program links with these libraries, and if not, whether it does without that check.
function(topowise_allow_newer_runtime)
  set(CMAKE_REQUIRED_QUIET ON)
  set(CMAKE_REQUIRED_LIBRARIES ${ARGN})
  set(CMAKE_REQUIRED_LINK_OPTIONS -Wl,--no-as-needed)
  check_cxx_source_compiles("int main() {}" TOPOWISE_LINKS)
  if(TOPOWISE_LINKS)
    return()
  endif()
  list(APPEND CMAKE_REQUIRED_LINK_OPTIONS -Wl,--allow-shlib-undefined)
  check_cxx_source_compiles("int main() {}" TOPOWISE_LINKS_WITH_NEWER_RUNTIME)
  if(NOT TOPOWISE_LINKS_WITH_NEWER_RUNTIME)
    message(FATAL_ERROR "no program can be linked with ${ARGN}; CMakeFiles/CMakeError.log or CMakeConfigureLog.yaml in ${PROJECT_BINARY_DIR} has the reason")
  endif()
  message(STATUS "fmt, pugixml or yaml-cpp was made for a newer C++ runtime than ${CMAKE_CXX_COMPILER} links with: linking with -Wl,--allow-shlib-undefined")
  add_link_options(-Wl,--allow-shlib-undefined)
endfunction()
