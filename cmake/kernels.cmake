# topowise_kernels(TARGET): puts the text of the GPU kernels into TARGET, which topowise::device::fold_image and fold_source return. The PTX is
# kept in the repository (tools/make_kernels.sh), and ROCm compiles the source where it runs, so every build has GPU kernels, whatever compilers it
# finds.
option(TOPOWISE_KERNELS "Kernels for GPUs" ON)

if(NOT TOPOWISE_KERNELS)   # to stderr, where it is seen among all that CMake prints
  message(NOTICE "NO GPU KERNELS in this build: TOPOWISE_KERNELS is OFF. 'run --allreduce' then does its work on the host.")
endif()

function(topowise_kernels target)
  set(made ${PROJECT_BINARY_DIR}/kernels/fold_image.cpp)
  set(device ${PROJECT_SOURCE_DIR}/topowise/device)
  add_custom_command(
    OUTPUT ${made}
    COMMAND ${CMAKE_COMMAND} -DROOT=${PROJECT_SOURCE_DIR} -DKERNELS=${TOPOWISE_KERNELS} -DOUTPUT=${made} -P ${PROJECT_SOURCE_DIR}/cmake/embed_kernels.cmake
    DEPENDS ${device}/folds.ptx ${device}/folds_sm80.ptx ${device}/folds.hip ${device}/amd_threads.hpp ${device}/fold_kernel.hpp ${device}/fold_groups.hpp ${device}/fold_list.hpp
            ${device}/fold_code.hpp ${PROJECT_SOURCE_DIR}/cmake/embed_kernels.cmake)
  target_sources(${target} PRIVATE ${made})
endfunction()
