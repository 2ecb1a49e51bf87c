# Code that starts jobs, reads machines or writes text spends no time in loops of its own. -O1 saves a quarter of its compile time, and -O0
# saves half of it under clang's sanitizers.
set(topowise_simple_folders cli job launch report topology_source)
set(topowise_simple_options $<$<CONFIG:Release>:-O1> $<$<CONFIG:Debug>:-O0>)

# A precompiled header fits only sources that are optimised as it is.
function(topowise_precompile_libraries)
  topowise_precompile(topowise_library_header ${topowise_common_headers})
  topowise_precompile(topowise_simple_header ${topowise_common_headers})
  if(TARGET topowise_simple_header)
    target_compile_options(topowise_simple_header PRIVATE ${topowise_simple_options})
  endif()
endfunction()

# topowise_compile_library(NAME): how the library of the folder NAME is compiled.
function(topowise_compile_library name)
  if(name IN_LIST topowise_simple_folders)
    target_compile_options(topowise_${name} PRIVATE ${topowise_simple_options})
    topowise_use_precompiled(topowise_${name} topowise_simple_header)
  else()
    topowise_use_precompiled(topowise_${name} topowise_library_header)
  endif()
endfunction()

# topowise_folder(NAME DEPENDS ... PRIVATE ...): makes one static library of the folder topowise/NAME, and one test program of
# its *_test.cpp files. A new file needs no line here. DEPENDS are part of the folder's interface; PRIVATE libraries are only
# linked.
function(topowise_folder name)
  cmake_parse_arguments(given "" "" "DEPENDS;PRIVATE" ${ARGN})
  set(folder ${PROJECT_SOURCE_DIR}/topowise/${name})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")

  if(sources)
    add_library(topowise_${name} STATIC ${sources})
    set(interface PUBLIC)
    set_target_properties(topowise_${name} PROPERTIES LINKER_LANGUAGE CXX)
    target_link_libraries(topowise_${name} PRIVATE ${given_PRIVATE})
    topowise_compile_library(${name})
  else()   # headers only
    add_library(topowise_${name} INTERFACE)
    set(interface INTERFACE)
  endif()
  add_library(topowise::${name} ALIAS topowise_${name})
  target_include_directories(topowise_${name} ${interface} ${PROJECT_SOURCE_DIR})
  target_link_libraries(topowise_${name} ${interface} ${given_DEPENDS})

  if(BUILD_TESTING AND tests)
    topowise_test_program(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE topowise_${name} ${given_PRIVATE})
    topowise_unit_test(unit/${name} ${name}_test)
  endif()
endfunction()
