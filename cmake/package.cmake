# Install rules for one library target for users with its public headers, a CMake package and a pkg-config file, and for what packages contain
# (cmake/portable.cmake). All paths are relative to the prefix, so the installed tree may be moved. The components are program, python, manuals,
# documents, headers and library; `portable` stands for program and library in packages, and is installed only if it is named.
include(CMakePackageConfigHelpers)

# One archive of topowise::library and all folders that it needs: users link one target and see no inner folder.
set(folders library)
set(objects "")
while(folders)
  list(POP_FRONT folders folder)
  list(APPEND seen ${folder})
  get_target_property(kind topowise_${folder} TYPE)
  if(kind STREQUAL STATIC_LIBRARY)
    list(APPEND objects $<TARGET_OBJECTS:topowise_${folder}>)
  endif()
  get_target_property(needed topowise_${folder} INTERFACE_LINK_LIBRARIES)
  list(FILTER needed INCLUDE REGEX "^topowise::")
  list(TRANSFORM needed REPLACE "^topowise::" "")
  list(APPEND folders ${needed})
  list(REMOVE_DUPLICATES folders)
  list(REMOVE_ITEM folders ${seen})
endwhile()
# topowise_archive_for_users(TARGET): the archive as other projects know it.
function(topowise_archive_for_users target)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME topowise EXPORT_NAME topowise LINKER_LANGUAGE CXX)
  target_compile_features(${target} INTERFACE cxx_std_20)
  target_include_directories(${target} INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>)
  target_link_libraries(${target} PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
endfunction()

add_library(topowise_archive STATIC ${objects})
add_library(topowise::topowise ALIAS topowise_archive)
topowise_archive_for_users(topowise_archive)
target_link_libraries(topowise_archive PRIVATE ${fmt} ${pugixml} ${yaml})
topowise_install(topowise_archive EXPORT topowise ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)

# The public headers and the headers that they include: the nouns of graph/, the format of profiles, and the ids, units and errors of base/. A test checks this list.
configure_file(${PROJECT_SOURCE_DIR}/topowise/version.hpp.in ${PROJECT_BINARY_DIR}/include/topowise/version.hpp @ONLY)
file(GLOB public_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/topowise/*.hpp)
install(FILES ${public_headers} ${PROJECT_BINARY_DIR}/include/topowise/version.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/topowise COMPONENT headers)
set(base_nouns error hash id units)
set(graph_nouns components congestion_model_name congestion_parameters gpu_vendor group_spread json mapping metric network_shape objective pair_matrix path_class pci_address provenance topology)
set(graph/traffic_nouns exchange packed_traffic rank_groups traffic)
set(profile_nouns format)
foreach(folder base graph graph/traffic profile)
  list(TRANSFORM ${folder}_nouns PREPEND ${PROJECT_SOURCE_DIR}/topowise/${folder}/)
  list(TRANSFORM ${folder}_nouns APPEND .hpp)
  install(FILES ${${folder}_nouns} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/topowise/${folder} COMPONENT headers)
endforeach()

install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT documents)

# topowise_package_files(COMPONENT PKGCONFIG_FOLDER [EXCLUDE_FROM_ALL]): the files by which find_package and pkg-config find the archive.
function(topowise_package_files component pkgconfig)
  set(made ${PROJECT_BINARY_DIR}/${component})
  set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/topowise)
  configure_package_config_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/topowise-config.cmake.in ${made}/topowise-config.cmake INSTALL_DESTINATION ${package_dir})
  write_basic_package_version_file(${made}/topowise-config-version.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${made}/topowise-config.cmake ${made}/topowise-config-version.cmake DESTINATION ${package_dir} COMPONENT ${component} ${ARGN})
  file(RELATIVE_PATH prefix_from_pc /${pkgconfig} /)   # "../..", or one ".." more on multiarch
  string(REGEX REPLACE "/$" "" prefix_from_pc "${prefix_from_pc}")
  string(REPLACE ";" " " needed_packages_by_blanks "${needed_packages}")
  configure_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/topowise.pc.in ${made}/topowise.pc @ONLY)
  install(FILES ${made}/topowise.pc DESTINATION ${pkgconfig} COMPONENT ${component} ${ARGN})
endfunction()

set(needed_packages fmt pugixml yaml-cpp)
set(targets_file topowise-targets.cmake)
install(EXPORT topowise NAMESPACE topowise:: FILE ${targets_file} DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/topowise COMPONENT library)
topowise_package_files(library ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(TOPOWISE_OLD_GLIBC)
  include(portable_package)
endif()
