# topowise_floor(NAME DEPENDS ... PRIVATE ... HEADERS ...): the folder topowise/NAME as one static library, and its *_test.cpp
# files as one test program. A new file needs no line here. DEPENDS are part of the folder's interface, PRIVATE are only
# linked, HEADERS are header-only libraries that no installed file mentions.
function(topowise_floor name)
  cmake_parse_arguments(floor "" "" "DEPENDS;PRIVATE;HEADERS" ${ARGN})
  set(folder ${PROJECT_SOURCE_DIR}/topowise/${name})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")

  if(sources)
    add_library(topowise_${name} STATIC ${sources})
    set(interface PUBLIC)
    set_target_properties(topowise_${name} PROPERTIES LINKER_LANGUAGE CXX)
    target_link_libraries(topowise_${name} PRIVATE ${floor_PRIVATE})
    foreach(library IN LISTS floor_HEADERS)
      target_link_libraries(topowise_${name} PRIVATE $<BUILD_INTERFACE:${library}>)
    endforeach()
    topowise_use_precompiled(topowise_${name} topowise_library_header)
  else()   # headers only
    add_library(topowise_${name} INTERFACE)
    set(interface INTERFACE)
  endif()
  add_library(topowise::${name} ALIAS topowise_${name})
  set_target_properties(topowise_${name} PROPERTIES EXPORT_NAME ${name})
  target_include_directories(topowise_${name} ${interface} $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                                                           $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(topowise_${name} ${interface} ${floor_DEPENDS})
  set_property(GLOBAL APPEND PROPERTY TOPOWISE_FLOORS ${name})

  if(BUILD_TESTING AND tests)
    topowise_test_program(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE topowise_${name} ${floor_PRIVATE} ${floor_HEADERS})
    topowise_unit_test(unit/${name} ${name}_test)
  endif()
endfunction()
