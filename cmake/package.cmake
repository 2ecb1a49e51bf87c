# Install rules: the program, the preloaded library, the libraries with their headers, a CMake package and a pkg-config file.
# Everything is relative to the prefix, so the installed tree may be moved.
include(CMakePackageConfigHelpers)

get_property(floors GLOBAL PROPERTY TOPOWISE_FLOORS)
add_library(topowise_all INTERFACE)
add_library(topowise::topowise ALIAS topowise_all)
set_target_properties(topowise_all PROPERTIES EXPORT_NAME topowise)
set(targets topowise_all)
set(link_line "")
foreach(floor IN LISTS floors)
  target_link_libraries(topowise_all INTERFACE topowise_${floor})
  list(APPEND targets topowise_${floor})
  get_target_property(kind topowise_${floor} TYPE)
  if(kind STREQUAL STATIC_LIBRARY)
    string(PREPEND link_line "-ltopowise_${floor} ")   # the linker wants users before what they use
  endif()
endforeach()

install(TARGETS ${targets} EXPORT topowise ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET topowise)
  install(TARGETS topowise RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
if(TARGET topowise_interpose)
  install(TARGETS topowise_interpose LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/topowise DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp"
        PATTERN "topology_parts.hpp" EXCLUDE PATTERN cli EXCLUDE PATTERN interpose EXCLUDE)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/topowise)
install(EXPORT topowise NAMESPACE topowise:: FILE topowise-targets.cmake DESTINATION ${package_dir})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/topowise-config.cmake.in ${PROJECT_BINARY_DIR}/topowise-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/topowise-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/topowise-config.cmake ${PROJECT_BINARY_DIR}/topowise-config-version.cmake DESTINATION ${package_dir})

file(RELATIVE_PATH prefix_from_pc /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)   # "../..", or one more on multiarch
string(REGEX REPLACE "/$" "" prefix_from_pc "${prefix_from_pc}")
configure_file(${CMAKE_CURRENT_LIST_DIR}/topowise.pc.in ${PROJECT_BINARY_DIR}/topowise.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/topowise.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
