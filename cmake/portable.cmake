# Portable programs and libraries: they run with glibc 2.28 and every newer one, although they are linked on a machine with a newer one, and they need
# no library but glibc. `make packages` puts them into packages (docs/decisions/portable-packages.md). They consist of the same objects as the programs
# and libraries of this machine: only linking differs. They are linked against Debian 11's glibc (tools/install-old-glibc.sh). They bring along their C++
# runtime, their libraries, and the few functions that these need from a newer glibc (portable/newer_functions.cpp). A test finds symbols above glibc 2.28.
set(TOPOWISE_OLD_GLIBC "" CACHE PATH "Where tools/install-old-glibc.sh unpacked an older glibc: the target topowise_portable is linked against it")
set(topowise_oldest_x86_64 GLIBC_2.2.5)     # the version of symbols as old as glibc's port to a processor
set(topowise_oldest_aarch64 GLIBC_2.17)

# topowise_find_libraries(): finds fmt, nlohmann-json, pugixml and yaml-cpp. Folders link ${fmt_library}, ${pugixml_library} and ${yaml_library}: the shared libraries
# of this machine, or the static ones if what is linked at last is portable.
macro(topowise_find_libraries)
  set(missing "")
  foreach(library fmt nlohmann_json pugixml yaml-cpp)
    find_package(${library} QUIET)
    if(NOT ${library}_FOUND)
      string(APPEND missing " ${library}")
    endif()
  endforeach()
  if(missing)
    message(FATAL_ERROR "not found:${missing}. 'tools/install-deps.sh build' names their packages; CMAKE_PREFIX_PATH names folders where they are")
  endif()
  set(fmt fmt::fmt)
  set(pugixml pugixml::pugixml)
  if(TARGET yaml-cpp::yaml-cpp)   # since 0.8
    set(yaml yaml-cpp::yaml-cpp)
  else()
    set(yaml yaml-cpp)
  endif()
  foreach(library fmt pugixml yaml)
    set(${library}_library ${${library}})
  endforeach()
  if(TOPOWISE_OLD_GLIBC)
    topowise_find_static_libraries()
    foreach(library fmt pugixml yaml)
      add_library(topowise_either_${library} INTERFACE)
      target_link_libraries(topowise_either_${library} INTERFACE $<IF:$<BOOL:$<TARGET_PROPERTY:TOPOWISE_PORTABLE>>,${static_${library}},${${library}}>)
      set(${library}_library topowise_either_${library})
    endforeach()
  endif()
endmacro()

macro(topowise_find_static_libraries)
  if(NOT EXISTS ${TOPOWISE_OLD_GLIBC}/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/libc.so)
    message(FATAL_ERROR "TOPOWISE_OLD_GLIBC: there is no glibc to link against in '${TOPOWISE_OLD_GLIBC}': tools/install-old-glibc.sh")
  endif()
  if(NOT fmt_VERSION MATCHES "^9\\." OR NOT CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    message(FATAL_ERROR "TOPOWISE_OLD_GLIBC: portable programs are linked with GCC and fmt 9, as on Debian 12; here are ${CMAKE_CXX_COMPILER_ID} and fmt ${fmt_VERSION}")
  endif()
  find_library(static_pugixml NAMES libpugixml.a REQUIRED)
  find_library(static_yaml NAMES libyaml-cpp.a REQUIRED)
  add_library(topowise_fmt STATIC EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/cmake/portable/fmt.cpp ${PROJECT_SOURCE_DIR}/cmake/portable/single_threaded.cpp)
  target_include_directories(topowise_fmt PRIVATE $<TARGET_PROPERTY:fmt::fmt,INTERFACE_INCLUDE_DIRECTORIES>)
  target_compile_definitions(topowise_fmt PUBLIC FMT_SHARED)   # fmt::fmt has it too, so the objects fit both
  set(static_fmt topowise_fmt)
  add_library(topowise_mathematics STATIC EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/cmake/portable/mathematics.cpp)
  target_compile_definitions(topowise_mathematics PRIVATE TOPOWISE_OLDEST_GLIBC="${topowise_oldest_${CMAKE_SYSTEM_PROCESSOR}}")
  target_compile_options(topowise_mathematics PRIVATE -fno-builtin)   # log2(x) here must not become log(x) / ln 2
  target_link_libraries(topowise_fmt PUBLIC topowise_mathematics)     # so it comes behind all folders, which link fmt
  add_library(topowise_newer_functions OBJECT EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/cmake/portable/newer_functions.cpp
              ${PROJECT_SOURCE_DIR}/cmake/portable/single_threaded.cpp)
endmacro()

# topowise_make_portable(TARGET FOLDER): links the objects of a program or shared library as portable_TARGET, below portable/FOLDER in the build tree.
# `cmake --install --component portable` installs it in FOLDER, unless that is `python`.
function(topowise_make_portable target folder)
  set(name portable_${target})
  get_target_property(type ${target} TYPE)
  if(type STREQUAL EXECUTABLE)
    add_executable(${name} EXCLUDE_FROM_ALL)
  else()
    string(REGEX REPLACE "_LIBRARY$" "" kind ${type})
    add_library(${name} ${kind} EXCLUDE_FROM_ALL)
  endif()
  target_sources(${name} PRIVATE $<TARGET_OBJECTS:${target}> $<TARGET_OBJECTS:topowise_newer_functions>)
  foreach(property LINK_LIBRARIES LINK_OPTIONS LINK_DEPENDS PREFIX SUFFIX OUTPUT_NAME)
    get_target_property(value ${target} ${property})
    if(NOT value MATCHES "-NOTFOUND$")
      set_target_properties(${name} PROPERTIES ${property} "${value}")
    endif()
  endforeach()
  get_target_property(output ${target} OUTPUT_NAME)
  if(NOT output)
    set_target_properties(${name} PROPERTIES OUTPUT_NAME ${target})
  endif()
  set(place ${PROJECT_BINARY_DIR}/portable/${folder})
  set_target_properties(${name} PROPERTIES TOPOWISE_PORTABLE ON LINKER_LANGUAGE CXX RUNTIME_OUTPUT_DIRECTORY ${place} LIBRARY_OUTPUT_DIRECTORY ${place})
  set(root ${TOPOWISE_OLD_GLIBC})
  set(libraries ${root}/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE})
  target_link_options(${name} PRIVATE --sysroot=${root} -B${libraries}/ -L${libraries} -L${root}/lib/${CMAKE_LIBRARY_ARCHITECTURE}
    -static-libstdc++ -static-libgcc -Wl,-s -Wl,--build-id=none)   # a build id depends on what the linker is given, not only on what it makes
  target_link_libraries(${name} PRIVATE -Wl,--no-as-needed -lpthread -ldl -Wl,--as-needed)   # since 2.34 these two are parts of glibc's libc.so
  add_dependencies(topowise_portable ${name})
  if(NOT folder STREQUAL python)
    install(TARGETS ${name} RUNTIME DESTINATION ${folder} COMPONENT portable EXCLUDE_FROM_ALL LIBRARY DESTINATION ${folder} COMPONENT portable EXCLUDE_FROM_ALL)
  endif()
endfunction()
