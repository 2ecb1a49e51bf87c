# What packages contain beside manuals, documents and headers, as the component `portable`. The target topowise_portable builds it.
add_custom_target(topowise_portable)
topowise_make_portable(topowise ${CMAKE_INSTALL_BINDIR})
foreach(library interpose engine allreduce)
  topowise_make_portable(topowise_${library} ${CMAKE_INSTALL_LIBDIR})
endforeach()
set(plugin ${PROJECT_BINARY_DIR}/portable/plugin/${CMAKE_SHARED_LIBRARY_PREFIX}nccl-profiler-topowise${CMAKE_SHARED_LIBRARY_SUFFIX})
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/portable/plugin)
file(CREATE_LINK ${CMAKE_SHARED_LIBRARY_PREFIX}topowise_interpose${CMAKE_SHARED_LIBRARY_SUFFIX} ${plugin} SYMBOLIC)   # not in lib/, whose libraries go into the wheel
install(FILES ${plugin} DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT portable EXCLUDE_FROM_ALL)
if(TOPOWISE_PYTHON)
  topowise_make_portable(topowise_python python)   # a part of the wheel only (python/prebuilt)
endif()

# The library for C++ brings its libraries along as archives of their own: whoever links it has other versions of them, or none.
add_library(portable_topowise_archive STATIC EXCLUDE_FROM_ALL ${objects})
topowise_archive_for_users(portable_topowise_archive)
set_target_properties(portable_topowise_archive PROPERTIES ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/portable/lib)
set(bundled ${CMAKE_INSTALL_LIBDIR}/topowise)
set(bundled_archives ${static_yaml} ${static_pugixml} $<TARGET_FILE:topowise_fmt>)
install(FILES ${bundled_archives} DESTINATION ${bundled} COMPONENT portable EXCLUDE_FROM_ALL)
set(needed_packages)
foreach(archive yaml-cpp pugixml topowise_fmt)
  target_link_libraries(portable_topowise_archive INTERFACE $<INSTALL_INTERFACE:$<INSTALL_PREFIX>/${bundled}/lib${archive}.a>)
  string(APPEND bundled_flags "\${libdir}/topowise/lib${archive}.a ")
endforeach()
add_dependencies(topowise_portable portable_topowise_archive topowise_fmt)
install(TARGETS portable_topowise_archive EXPORT topowise_portable ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT portable EXCLUDE_FROM_ALL)
set(targets_file topowise-portable-targets.cmake)   # CMake makes both files in one folder
install(EXPORT topowise_portable NAMESPACE topowise:: FILE ${targets_file} DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/topowise
        COMPONENT portable EXCLUDE_FROM_ALL)
topowise_package_files(portable ${CMAKE_INSTALL_DATADIR}/pkgconfig EXCLUDE_FROM_ALL)   # in share/, where pkg-config of every distribution looks

# Environment modules, in Tcl and in Lmod's Lua. `module use PREFIX/share/modulefiles` finds them, wherever PREFIX is.
foreach(file topowise topowise.lua)
  set(made ${PROJECT_BINARY_DIR}/portable/modulefiles/${file})
  configure_file(${PROJECT_SOURCE_DIR}/packaging/modulefiles/${file}.in ${made} @ONLY)
  get_filename_component(suffix ${file} LAST_EXT)
  install(FILES ${made} DESTINATION ${CMAKE_INSTALL_DATADIR}/modulefiles/topowise RENAME ${PROJECT_VERSION}${suffix} COMPONENT portable EXCLUDE_FROM_ALL)
endforeach()
install(FILES ${PROJECT_SOURCE_DIR}/packaging/THIRD-PARTY-NOTICES.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR}
        COMPONENT portable EXCLUDE_FROM_ALL)
