# topowise_kernels(TARGET): puts topowise/device/folds.ptx into TARGET as text, which topowise::device::fold_image returns. The PTX is kept in
# the repository (tools/make_kernels.sh), so every build has GPU kernels, whatever compilers it finds.
option(TOPOWISE_KERNELS "Kernels for NVIDIA GPUs" ON)

if(NOT TOPOWISE_KERNELS)   # to stderr, where it is seen among all that CMake prints
  message(NOTICE "NO GPU KERNELS in this build: TOPOWISE_KERNELS is OFF. 'run --allreduce' then does its work on the host.")
endif()

function(topowise_kernels target)
  set(made ${PROJECT_BINARY_DIR}/kernels/fold_image.cpp)
  set(text ${PROJECT_SOURCE_DIR}/topowise/device/folds.ptx)
  add_custom_command(
    OUTPUT ${made}
    COMMAND ${CMAKE_COMMAND} -DTEXT=${text} -DKERNELS=${TOPOWISE_KERNELS} -DOUTPUT=${made} -P ${PROJECT_SOURCE_DIR}/cmake/embed_kernels.cmake
    DEPENDS ${text} ${PROJECT_SOURCE_DIR}/cmake/embed_kernels.cmake)
  target_sources(${target} PRIVATE ${made})
endfunction()
