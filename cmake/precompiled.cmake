# Precompiled headers: what most files include of the standard library and of fmt is parsed once. `make` turns them on, as a
# fresh clone compiles a tenth to a fifth faster with them. They are off elsewhere: a compiler cache cannot share what was compiled with
# them between two checkouts. A file that forgets an include compiles with them all the same; `make test-all` builds without.
option(TOPOWISE_PRECOMPILE "Parse the headers of the standard library and of fmt once" OFF)

set(topowise_common_headers <algorithm> <array> <bit> <chrono> <cmath> <cstdint> <cstring> <functional> <limits> <map> <memory>
    <numeric> <optional> <set> <span> <string> <string_view> <thread> <utility> <variant> <vector> <fmt/format.h>)

if(TOPOWISE_PRECOMPILE)
  # So that a compiler cache knows such a header by its content.
  add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpch-preprocess> "$<$<COMPILE_LANG_AND_ID:CXX,Clang>:SHELL:-Xclang -fno-pch-timestamp>")
  if(CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
  endif()
endif()

# topowise_precompile(NAME HEADERS...): a target that does nothing but make a precompiled header. One for libraries, one for
# programs: a header compiled with -fPIC serves no file compiled with -fPIE.
function(topowise_precompile name)
  if(TOPOWISE_PRECOMPILE)
    file(WRITE ${PROJECT_BINARY_DIR}/precompiled/${name}.cpp "")
    add_library(${name} OBJECT ${PROJECT_BINARY_DIR}/precompiled/${name}.cpp)
    target_link_libraries(${name} PRIVATE ${fmt_library})   # a user must have its definitions, too
    target_precompile_headers(${name} PRIVATE ${ARGN})
  endif()
endfunction()

# topowise_use_precompiled(TARGET NAME): TARGET, which links fmt, uses the header that the target NAME makes.
function(topowise_use_precompiled target name)
  if(TOPOWISE_PRECOMPILE)
    target_precompile_headers(${target} REUSE_FROM ${name})
  endif()
endfunction()
