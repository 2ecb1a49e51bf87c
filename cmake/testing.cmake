# Test programs, and the labels by which `make test` and `make test-all` choose tests (docs/testing.md).
#   unit, cli, mpi, install, quality, published   what a test needs
#   checked                                       `make test` runs it under AddressSanitizer and UndefinedBehaviorSanitizer, too
#   threads                                       runs on several threads, for ThreadSanitizer
#   wide                                          repeats for another MPI library or on more instances what `make test` has tested
#   clock                                         compares times, so its result means something on a quiet machine only

# The main function of test programs is compiled only once, and so are the headers that every test file includes.
add_library(topowise_doctest_main OBJECT ${PROJECT_SOURCE_DIR}/tests/doctest_main.cpp)
target_link_libraries(topowise_doctest_main PRIVATE doctest::doctest)
# Test code is optimised little, too (cmake/folders.cmake).
topowise_precompile(topowise_test_header ${topowise_common_headers} <doctest/doctest.h>)
if(TARGET topowise_test_header)
  target_compile_options(topowise_test_header PRIVATE -fPIE ${topowise_simple_options})
endif()

# topowise_test_program(NAME SOURCES...): a program of test cases. It must link fmt by linking any folder of the library.
function(topowise_test_program name)
  add_executable(${name} ${ARGN} $<TARGET_OBJECTS:topowise_doctest_main>)
  target_link_libraries(${name} PRIVATE doctest::doctest)
  target_compile_options(${name} PRIVATE ${topowise_simple_options})
  target_compile_definitions(${name} PRIVATE TOPOWISE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  topowise_use_precompiled(${name} topowise_test_header)
endfunction()

# The folders that read input that anybody may have written, and the recorder, which runs inside a foreign program. `make test` runs
# sanitizers on these folders only.
set(topowise_checked_folders base device graph profile reading topology_source traffic_source interpose)
add_custom_target(checked_tests)

# topowise_unit_test(NAME PROGRAM): one test of all test cases except those of the test suites "clock" and "wide".
function(topowise_unit_test name program)
  add_test(NAME ${name} COMMAND ${program} --test-suite-exclude=clock,wide)
  set(labels unit)
  string(REPLACE "unit/" "" folder ${name})
  if(folder IN_LIST topowise_checked_folders)
    list(APPEND labels checked)
    add_dependencies(checked_tests ${program})
  endif()
  set_tests_properties(${name} PROPERTIES LABELS "${labels}")
  if(name MATCHES "^(unit/mapper|memory/reading)$")
    set_tests_properties(${name} PROPERTIES COST 90)   # the longest tests start early, so that none runs alone at the end
  endif()
endfunction()

# topowise_wide_test(NAME PROGRAM): the test cases of the test suite "wide", which repeat other test cases on more instances.
function(topowise_wide_test name program)
  add_test(NAME ${name} COMMAND ${program} --test-suite=wide)
  set_tests_properties(${name} PROPERTIES LABELS "unit;wide" FAIL_REGULAR_EXPRESSION "test cases: +0 ")
endfunction()

# topowise_clock_test(NAME PROGRAM): the test cases of the test suite "clock".
function(topowise_clock_test name program)
  add_test(NAME clock/${name} COMMAND ${program} --test-suite=clock)
  set_tests_properties(clock/${name} PROPERTIES LABELS "unit;clock" RUN_SERIAL ON)
endfunction()
