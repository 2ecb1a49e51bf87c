# Several sources become one translation unit. The compiler parses and instantiates their headers once, which saves a fifth of the time of
# an optimised build, and more of a build with little optimisation. `make` and pip turn it on. Else it is off, so that a changed file is
# compiled alone.
option(TOPOWISE_UNITY "Compile several sources of a target as one" OFF)
set(topowise_fewest_sources 4)   # smaller targets are compiled file by file

# topowise_unite(DIRECTORY): joins the sources of all targets in the directory and below it, in the groups that unity_groups.py finds.
function(topowise_unite directory)
  if(NOT TOPOWISE_UNITY)
    return()
  endif()
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  get_directory_property(targets DIRECTORY ${directory} BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    topowise_unite_target(${target})
  endforeach()
  get_directory_property(below DIRECTORY ${directory} SUBDIRECTORIES)
  foreach(each IN LISTS below)
    topowise_unite(${each})
  endforeach()
endfunction()

function(topowise_unite_target target)
  get_target_property(listed ${target} SOURCES)
  get_target_property(folder ${target} SOURCE_DIR)
  set(sources)
  foreach(source IN LISTS listed)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${folder})
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE within)
    if(within MATCHES "^(topowise|tests|python|bench)/.*\\.cpp$")   # no generated sources
      list(APPEND sources ${source})
    endif()
  endforeach()
  list(LENGTH sources count)
  if(count LESS topowise_fewest_sources)
    return()
  endif()
  execute_process(COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/cmake/unity_groups.py ${sources}
                  OUTPUT_VARIABLE lines COMMAND_ERROR_IS_FATAL ANY OUTPUT_STRIP_TRAILING_WHITESPACE)
  string(REPLACE "\n" ";" lines "${lines}")
  foreach(line IN LISTS lines)
    string(REGEX MATCH "^([a-z0-9]+) (.*)$" found "${line}")
    set_source_files_properties(${CMAKE_MATCH_2} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP ${CMAKE_MATCH_1})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # A class in a source may have members whose types are in an unnamed namespace. gcc takes a joined source for a header and warns of them.
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
endfunction()
