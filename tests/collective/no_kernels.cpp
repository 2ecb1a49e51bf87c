// SPDX-License-Identifier: BSD-3-Clause
// As in a build with TOPOWISE_KERNELS=OFF. This object takes the place of the one that holds the kernels.
namespace topowise::device {

const char* fold_image();
const char* fold_image_sm80();
const char* fold_source();

const char* fold_image() {
  return nullptr;
}
const char* fold_image_sm80() {
  return nullptr;
}
const char* fold_source() {
  return nullptr;
}

}  // namespace topowise::device
