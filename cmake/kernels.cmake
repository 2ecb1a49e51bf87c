# topowise_kernels(TARGET SOURCE FUNCTION): compiles SOURCE to PTX and puts the PTX into TARGET as text, which topowise::device::FUNCTION
# returns. clang does this alone, without any file of NVIDIA's. The result is PTX 4.0 for compute capability 5.0, which the drivers of all
# GPUs since then compile. Without such a clang TARGET is complete, but says that it has no kernels.
find_program(TOPOWISE_DEVICE_CLANG NAMES clang++ clang++-19 clang++-18 clang++-17 clang++-16 clang++-15 clang++-14
             DOC "clang++ with the NVPTX target, for GPU kernels")
set(topowise_ptx_options -x cuda --cuda-device-only --cuda-gpu-arch=sm_50 -nocudainc -nocudalib -std=c++20 -O3
    -mllvm -inline-threshold=100000)   # inline all calls: a call would copy all arguments of a kernel to memory of the thread

if(TOPOWISE_DEVICE_CLANG AND NOT TOPOWISE_DEVICE_CLANG_TRIED STREQUAL TOPOWISE_DEVICE_CLANG)
  file(WRITE ${PROJECT_BINARY_DIR}/kernels/try.cu "extern \"C\" __attribute__((global)) void k(int* to) { *to = 1; }\n")
  execute_process(COMMAND ${TOPOWISE_DEVICE_CLANG} ${topowise_ptx_options} -S ${PROJECT_BINARY_DIR}/kernels/try.cu -o ${PROJECT_BINARY_DIR}/kernels/try.ptx
                  RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
  if(failed)
    set(works OFF)
  else()
    set(works ON)
  endif()
  set(TOPOWISE_DEVICE_CLANG_TRIED ${TOPOWISE_DEVICE_CLANG} CACHE INTERNAL "the clang++ of the last try")
  set(TOPOWISE_DEVICE_CLANG_WORKS ${works} CACHE INTERNAL "${TOPOWISE_DEVICE_CLANG} makes PTX")
endif()

if(NOT TOPOWISE_DEVICE_CLANG OR NOT TOPOWISE_DEVICE_CLANG_WORKS)   # to stderr, where it is seen among all that CMake prints
  message(NOTICE "NO GPU KERNELS in this build: no clang++ that makes PTX was found (install clang, or set TOPOWISE_DEVICE_CLANG, and configure again). "
                 "'run --allreduce' then does its work on the host.")
endif()

function(topowise_kernels target source function)
  set(made ${PROJECT_BINARY_DIR}/kernels)
  get_filename_component(name ${source} NAME_WE)
  set(text ${made}/${name}.ptx)
  if(TOPOWISE_DEVICE_CLANG AND TOPOWISE_DEVICE_CLANG_WORKS)
    add_custom_command(
      OUTPUT ${text}
      COMMAND ${TOPOWISE_DEVICE_CLANG} ${topowise_ptx_options} -I${PROJECT_SOURCE_DIR} -MD -MF ${text}.d -MT ${text} -S ${source} -o ${text}
      DEPENDS ${source} DEPFILE ${text}.d
      COMMENT "Compiling GPU kernels to PTX")
  else()
    add_custom_command(OUTPUT ${text} COMMAND ${CMAKE_COMMAND} -E rm -f ${text} COMMAND ${CMAKE_COMMAND} -E touch ${text})
  endif()
  add_custom_command(
    OUTPUT ${made}/${function}.cpp
    COMMAND ${CMAKE_COMMAND} -DTEXT=${text} -DFUNCTION=${function} -DOUTPUT=${made}/${function}.cpp -P ${PROJECT_SOURCE_DIR}/cmake/embed_kernels.cmake
    DEPENDS ${text} ${PROJECT_SOURCE_DIR}/cmake/embed_kernels.cmake)
  target_sources(${target} PRIVATE ${made}/${function}.cpp)
endfunction()
