// SPDX-License-Identifier: BSD-3-Clause
// Kernels under the names of HIP and of its compiler hiprtc, which a HIP library contains up to ROCm 6. The stand-in
// does not compile: it reads the lines that name kernels, and runs the same source, compiled for the host. As the real
// ones do, the compiler wants to know the GPU that it compiles for, and a GPU takes code for itself only.
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <topowise/base/text.hpp>

#include "fault.hpp"
#include "process.hpp"

using namespace topowise::fake;

extern "C" {
int cuDeviceGetName(char*, int, int);
int cuModuleLoadData(void**, const void*);
int cuModuleUnload(void*);
int cuModuleGetFunction(void**, void*, const char*);
int cuLaunchKernel(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**);
}

namespace {

constexpr std::string_view kTarget = "gfx90a:sramecc+:xnack-";
constexpr std::string_view kCode = "SIMULATED code object, .version 5, for ";
constexpr int kNoBinaryForGpu = 209;

// Results of hiprtc.
constexpr int kInvalidInput = 3;
constexpr int kCompilation = 6;

struct Program {
  std::string source, log, code;
};

/// "topowise_fold_sum_f32" from "TOPOWISE_FOLD_KERNEL(sum, Sum, f32, float)"; empty for other lines.
std::string kernel_of(std::string_view line) {
  constexpr std::string_view kMacro = "TOPOWISE_FOLD_KERNEL(";
  if (!line.starts_with(kMacro)) return {};
  const std::vector<std::string_view> words = topowise::split(line.substr(kMacro.size()), ',');
  if (words.size() < 4) return {};
  return "topowise_fold_" + std::string(topowise::trim(words[0])) + "_" + std::string(topowise::trim(words[2]));
}

int compile(Program& program, std::string_view target) {
  if (program.source.find("#define TOPOWISE_FOLD_KERNEL(") == std::string::npos) {
    program.log = "CompileSource:1:1: error: a type specifier is required for all declarations\n";
    return kCompilation;
  }
  program.code = std::string(kCode) + std::string(target) + "\n";
  for (const std::string_view line : topowise::split(program.source, '\n'))
    if (const std::string kernel = kernel_of(line); !kernel.empty()) program.code += ".entry " + kernel + "(\n";
  return 0;
}

int copy_of(const std::string& text, char* to) {
  std::memcpy(to, text.c_str(), text.size() + 1);
  return 0;
}

}  // namespace

extern "C" {

/// The layout of hipDeviceProp_t since ROCm 6, as far as we ask for it.
int hipGetDevicePropertiesR0600(void* properties, int device) {
  constexpr std::size_t kSize = 1472;
  constexpr std::size_t kNameSize = 256;
  constexpr std::size_t kArchitecture = 1160;
  auto* bytes = static_cast<char*>(properties);
  std::memset(bytes, 0, kSize);
  const int code = cuDeviceGetName(bytes, static_cast<int>(kNameSize), device);
  if (code == 0) kTarget.copy(bytes + kArchitecture, kTarget.size());
  return code;
}

int hiprtcCreateProgram(void** program, const char* source, const char* /*name*/, int headers, const char** /*texts*/,
                        const char** /*names*/) {
  if (source == nullptr || headers != 0) return kInvalidInput;
  *program = new Program{source, {}, {}};
  return 0;
}

int hiprtcCompileProgram(void* handle, int count, const char* const* options) {
  constexpr std::string_view kArchitecture = "--offload-arch=";
  auto& program = *static_cast<Program*>(handle);
  if (enter("hiprtcCompileProgram") != 0) {
    program.log = "CompileSource:7:3: warning: it is simulated\nCompileSource:9:1: error: a fault was asked for\n";
    return kCompilation;
  }
  for (int i = 0; i < count; ++i)
    if (std::string_view(options[i]).starts_with(kArchitecture))
      return compile(program, options[i] + kArchitecture.size());
  program.log = "Error: Please provide architecture for which code is to be generated.\n";
  return kCompilation;
}

int hiprtcDestroyProgram(void** program) {
  delete static_cast<Program*>(*program);
  *program = nullptr;
  return 0;
}

int hiprtcGetProgramLogSize(void* program, std::size_t* size) {
  *size = static_cast<Program*>(program)->log.size() + 1;
  return 0;
}

int hiprtcGetProgramLog(void* program, char* log) {
  return copy_of(static_cast<Program*>(program)->log, log);
}

int hiprtcGetCodeSize(void* program, std::size_t* size) {
  const std::string& code = static_cast<Program*>(program)->code;
  *size = code.empty() ? 0 : code.size() + 1;
  return 0;
}

int hiprtcGetCode(void* program, char* code) {
  return copy_of(static_cast<Program*>(program)->code, code);
}

int hipModuleLoadData(void** module, const void* image) {
  const std::string right = std::string(kCode) + std::string(kTarget) + "\n";
  const bool is_code =
      image != nullptr && std::strncmp(static_cast<const char*>(image), kCode.data(), kCode.size()) == 0;
  if (!is_code) return result::kInvalidImage;
  if (std::strncmp(static_cast<const char*>(image), right.data(), right.size()) != 0) return kNoBinaryForGpu;
  return cuModuleLoadData(module, image);
}

int hipModuleUnload(void* module) {
  return cuModuleUnload(module);
}

int hipModuleGetFunction(void** function, void* module, const char* name) {
  return cuModuleGetFunction(function, module, name);
}

int hipModuleLaunchKernel(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                          unsigned block_y, unsigned block_z, unsigned shared_memory, void* stream, void** arguments,
                          void** extra) {
  return cuLaunchKernel(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_memory, stream, arguments,
                        extra);
}

}  // extern "C"
