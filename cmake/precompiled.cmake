# Precompiled headers: the compiler parses once the headers of the standard library and of fmt that most files include. `make` and pip
# turn them on, since a fresh clone compiles a tenth to a fifth faster with them. Else they are off, since a compiler cache cannot share
# objects that were compiled with them between two checkouts. A file that forgets an include still compiles with them, so `make test-all`
# builds without them.
option(TOPOWISE_PRECOMPILE "Parse the headers of the standard library and of fmt once" OFF)

set(topowise_common_headers <algorithm> <array> <bit> <chrono> <cmath> <cstdint> <cstring> <functional> <limits> <map> <memory>
    <numeric> <optional> <set> <span> <string> <string_view> <thread> <utility> <variant> <vector> <fmt/format.h>)

if(TOPOWISE_PRECOMPILE)
  # With these options a compiler cache recognises a precompiled header by its content.
  add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpch-preprocess> "$<$<COMPILE_LANG_AND_ID:CXX,Clang>:SHELL:-Xclang -fno-pch-timestamp>")
  if(CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
  endif()
endif()

# topowise_precompile(NAME HEADERS...): a target that only makes a precompiled header. Libraries and programs need one each, since
# files compiled with -fPIE cannot use a header compiled with -fPIC.
function(topowise_precompile name)
  if(TOPOWISE_PRECOMPILE)
    file(WRITE ${PROJECT_BINARY_DIR}/precompiled/${name}.cpp "")
    add_library(${name} OBJECT ${PROJECT_BINARY_DIR}/precompiled/${name}.cpp)
    target_link_libraries(${name} PRIVATE ${fmt_library})   # targets that use the header must have fmt's definitions, too
    target_precompile_headers(${name} PRIVATE ${ARGN})
  endif()
endfunction()

# topowise_use_precompiled(TARGET NAME): TARGET uses the header that the target NAME makes. TARGET must link fmt.
function(topowise_use_precompiled target name)
  if(TOPOWISE_PRECOMPILE)
    target_precompile_headers(${target} REUSE_FROM ${name})
  endif()
endfunction()
