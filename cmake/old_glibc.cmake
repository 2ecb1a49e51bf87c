# For wheels: a program that runs with the C library of Debian 11 (glibc 2.31) and every newer one, although it is built on a machine with a newer one.
# It is linked against the older library (tools/install-old-glibc.sh). It brings along its C++ runtime, its libraries, and the few functions that these
# need from a newer C library (old_glibc/newer_functions.cpp). Objects are compiled as always: only linking differs.
set(TOPOWISE_OLD_GLIBC "" CACHE PATH "Where tools/install-old-glibc.sh unpacked an older C library: what is built runs with that one and all newer ones")
if(TOPOWISE_OLD_GLIBC AND NOT EXISTS ${TOPOWISE_OLD_GLIBC}/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/libc.so)
  message(FATAL_ERROR "TOPOWISE_OLD_GLIBC: there is no C library to link against in '${TOPOWISE_OLD_GLIBC}': tools/install-old-glibc.sh")
endif()

# topowise_find_bundled(): finds fmt, pugixml and yaml-cpp as the targets fmt::fmt, pugixml::pugixml and ${yaml}. If an older C library is asked for, they
# are linked statically.
macro(topowise_find_bundled)
  find_package(fmt REQUIRED)
  find_package(pugixml REQUIRED)
  find_package(yaml-cpp REQUIRED)
  if(TARGET yaml-cpp::yaml-cpp)   # since 0.8
    set(yaml yaml-cpp::yaml-cpp)
  else()
    set(yaml yaml-cpp)
  endif()
  if(TOPOWISE_OLD_GLIBC)
    find_library(TOPOWISE_STATIC_YAML NAMES libyaml-cpp.a REQUIRED)
    find_library(TOPOWISE_STATIC_PUGIXML NAMES libpugixml.a REQUIRED)
    set(yaml ${TOPOWISE_STATIC_YAML})
    set_property(TARGET pugixml::pugixml PROPERTY INTERFACE_LINK_LIBRARIES ${TOPOWISE_STATIC_PUGIXML})
    if(fmt_VERSION VERSION_LESS 10)
      add_library(topowise_fmt STATIC ${PROJECT_SOURCE_DIR}/cmake/old_glibc/fmt.cpp)
      target_compile_definitions(topowise_fmt PUBLIC FMT_SHARED)   # fmt::fmt has it too, so all other files are compiled as always
      set(fmt_library topowise_fmt)
    else()
      set(fmt_library fmt::fmt-header-only)
    endif()
  else()
    set(fmt_library fmt::fmt)
  endif()
endmacro()

# topowise_for_old_glibc(TARGET...): links the given programs and shared libraries, which users get, against the older C library if one is asked for.
function(topowise_for_old_glibc)
  if(NOT TOPOWISE_OLD_GLIBC)
    return()
  endif()
  set(root ${TOPOWISE_OLD_GLIBC})
  foreach(target IN LISTS ARGN)
    target_sources(${target} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/old_glibc/newer_functions.cpp)
    target_link_options(${target} PRIVATE --sysroot=${root} -B${root}/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/ -L${root}/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}
      -L${root}/lib/${CMAKE_LIBRARY_ARCHITECTURE} -static-libstdc++ -static-libgcc)
    target_link_libraries(${target} PRIVATE -Wl,--no-as-needed -lpthread -ldl -Wl,--as-needed)   # since 2.34 these two are parts of the C library
  endforeach()
endfunction()
