// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/device/hip_compiler.hpp>

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <topowise/base/error.hpp>

namespace topowise::device {
namespace {

/// Where the file of a HIP library is, and what is behind ".so" in its name: "/opt/rocm/lib/" and ".7".
struct Place {
  std::string folder, version;
};
Place place_of(const SharedLibrary& hip) {
  Dl_info found{};
  std::string path = hip.name();
  if (::dladdr(hip.symbol("hipInit"), &found) != 0 && found.dli_fname != nullptr) path = found.dli_fname;
  const std::size_t name = path.rfind('/') == std::string::npos ? 0 : path.rfind('/') + 1;
  const std::size_t suffix = path.find(".so", name);
  std::string version = suffix == std::string::npos ? "" : path.substr(suffix + 3);
  version.resize(std::min(version.size(), version.find('.', 1)));
  return {path.substr(0, name), version};
}

std::optional<SharedLibrary> open_compiler(const SharedLibrary& hip, std::string& reason) {
  if (hip.symbol("hiprtcCompileProgram") != nullptr) return hip;
  const Place place = place_of(hip);
  const std::array<std::string, 4> names{fmt::format("{}libhiprtc.so{}", place.folder, place.version),
                                         fmt::format("{}libhiprtc.so", place.folder),
                                         fmt::format("libhiprtc.so{}", place.version), std::string("libhiprtc.so")};
  return SharedLibrary::open(names, reason);
}

/// What the GPU's code must be made for: "gfx90a:sramecc+:xnack-". It is in the driver's description of a device.
/// The description was laid out anew with ROCm 6, so the text is looked for behind the device's name.
std::string target_of(const SharedLibrary& hip, int device) {
  constexpr std::size_t kName = 256;
  constexpr std::size_t kDescription = 16384;  // more than any version of HIP writes
  std::vector<char> description(kDescription);
  auto* describe = hip.function<int(void*, int)>("hipGetDevicePropertiesR0600");
  if (describe == nullptr) describe = hip.function<int(void*, int)>("hipGetDeviceProperties");
  if (describe == nullptr || describe(description.data(), device) != kSuccess) return {};
  const std::string_view text(description.data(), description.size());
  const std::size_t begin = text.find("gfx", kName);
  if (begin == std::string_view::npos) return {};
  return std::string(text.substr(begin, text.find('\0', begin) - begin));
}

class HipCompiler {
 public:
  explicit HipCompiler(const SharedLibrary& hip) : hip_(hip) {}

  const std::string& lack() {
    const std::lock_guard lock(mutex_);
    open();
    return lack_;
  }

  std::string compile(const std::string& source, int device) {
    if (const std::string& why = lack(); !why.empty()) throw not_available(why);
    const std::string target = target_of(hip_, device);
    if (target.empty()) throw not_available(fmt::format("HIP does not tell for which code GPU {} is", device));
    const std::string architecture = "--offload-arch=" + target;
    // Vectors of bytes, which GPUs do not compute with, would be put together in the memory of a thread.
    const std::array<const char*, 4> options{architecture.c_str(), "-std=c++20", "-O3", "-fno-slp-vectorize"};
    void* program = nullptr;
    check(create_(&program, source.c_str(), "topowise_folds.hip", 0, nullptr, nullptr), "hiprtcCreateProgram", {});
    const std::unique_ptr<void, Destroyer> owned(program, Destroyer{destroy_});
    const int result = compile_(program, static_cast<int>(options.size()), options.data());
    check(result, "hiprtcCompileProgram", text_of(program, log_size_, log_));
    std::string code = text_of(program, code_size_, code_);
    if (code.empty()) throw not_available("hiprtc gives no code");
    return code;
  }

 private:
  using Size = int(void*, std::size_t*);
  using Text = int(void*, char*);
  struct Destroyer {
    int (*destroy)(void**);
    void operator()(void* program) const { destroy(&program); }
  };

  /// Called under the lock.
  void open() {
    if (looked_) return;
    looked_ = true;
    std::string reason;
    library_ = open_compiler(hip_, reason);
    if (!library_) {
      lack_ = fmt::format("ROCm's compiler of GPU kernels cannot be opened: {}", reason);
      return;
    }
    create_ = library_->function<Create>("hiprtcCreateProgram");
    compile_ = library_->function<Compile>("hiprtcCompileProgram");
    destroy_ = library_->function<int(void**)>("hiprtcDestroyProgram");
    log_size_ = library_->function<Size>("hiprtcGetProgramLogSize");
    log_ = library_->function<Text>("hiprtcGetProgramLog");
    code_size_ = library_->function<Size>("hiprtcGetCodeSize");
    code_ = library_->function<Text>("hiprtcGetCode");
    if (create_ == nullptr || compile_ == nullptr || destroy_ == nullptr || log_size_ == nullptr || log_ == nullptr ||
        code_size_ == nullptr || code_ == nullptr)
      lack_ = fmt::format("'{}' lacks functions of ROCm's compiler of GPU kernels", library_->name());
  }

  static std::string text_of(void* program, Size* size_of, Text* get) {
    std::size_t size = 0;
    if (size_of(program, &size) != kSuccess) return {};
    std::string text(size, '\0');
    return get(program, text.data()) == kSuccess ? text : std::string();
  }

  /// Throws with the first line in which the compiler names an error.
  static void check(int result, const char* call, const std::string& log) {
    if (result == kSuccess) return;
    const std::size_t error = std::min(log.find("error"), log.find("Error"));
    std::string line;
    if (error != std::string::npos) {
      const std::size_t begin = log.rfind('\n', error) + 1;
      line = ": " + log.substr(begin, log.find_first_of(std::string_view("\n\0", 2), error) - begin);
    }
    throw not_available(fmt::format("{} failed: error {}{}", call, result, line));
  }

  using Create = int(void**, const char*, const char*, int, const char**, const char**);
  using Compile = int(void*, int, const char* const*);
  SharedLibrary hip_;
  std::mutex mutex_;
  bool looked_ = false;
  std::string lack_;
  std::optional<SharedLibrary> library_;
  Create* create_ = nullptr;
  Compile* compile_ = nullptr;
  int (*destroy_)(void**) = nullptr;
  Size* log_size_ = nullptr;
  Size* code_size_ = nullptr;
  Text* log_ = nullptr;
  Text* code_ = nullptr;
};

}  // namespace

void bind_compiler(Functions& table, const SharedLibrary& hip) {
  const auto compiler = std::make_shared<HipCompiler>(hip);
  table.lack_of_compiler = [compiler] { return compiler->lack(); };
  table.compile = [compiler](const std::string& source, int device) { return compiler->compile(source, device); };
}

}  // namespace topowise::device
