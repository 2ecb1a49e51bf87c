// SPDX-License-Identifier: BSD-3-Clause
// The processes of a job that work on one problem, and what they send each other. Every member function except rank(),
// size() and abort() is collective: all processes call it, in the same order.
#pragma once

#include <cstddef>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <topowise/base/error.hpp>

namespace topowise::mpi {

/// An error that every process of the team throws at the same point: nobody waits for anybody after it.
class AgreedError : public Error {
 public:
  explicit AgreedError(const Error& error) : Error(error) {}
};

class Team {
 public:
  virtual ~Team() = default;
  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;
  /// MPI_Comm as a machine word, for libraries that speak MPI themselves.
  [[nodiscard]] virtual void* communicator() const = 0;
  /// Ends all processes at once with this exit status.
  [[noreturn]] virtual void abort(ExitStatus status) const = 0;

  /// Gives all processes the bytes of `root`.
  virtual void broadcast_bytes(std::vector<std::byte>& bytes, int root) const = 0;
  /// outgoing[p] goes to process p; returns what came from each process.
  [[nodiscard]] virtual std::vector<std::vector<std::byte>> exchange_bytes(
      std::vector<std::vector<std::byte>> outgoing) const = 0;

  template <class T>
  void broadcast(std::vector<T>& values, int root) const {
    std::vector<std::byte> bytes = to_bytes<T>(values);
    broadcast_bytes(bytes, root);
    values = from_bytes<T>(bytes);
  }
  template <class T>
  [[nodiscard]] std::vector<std::vector<T>> exchange(const std::vector<std::vector<T>>& outgoing) const {
    std::vector<std::vector<std::byte>> bytes;
    for (const std::vector<T>& values : outgoing) bytes.push_back(to_bytes<T>(values));
    std::vector<std::vector<T>> incoming;
    for (const std::vector<std::byte>& values : exchange_bytes(std::move(bytes)))
      incoming.push_back(from_bytes<T>(values));
    return incoming;
  }
  /// What each process gave, by process.
  template <class T>
  [[nodiscard]] std::vector<std::vector<T>> gather_at_all(const std::vector<T>& own) const {
    std::vector<std::vector<T>> all(static_cast<std::size_t>(size()));
    for (int p = 0; p < size(); ++p) {
      if (p == rank()) all[static_cast<std::size_t>(p)] = own;
      broadcast(all[static_cast<std::size_t>(p)], p);
    }
    return all;
  }
  /// Like gather_at_all(), for texts, which may hold no zero byte.
  [[nodiscard]] std::vector<std::vector<std::string>> gather_texts(const std::vector<std::string>& own) const;
  /// Adds in the order of the processes, so that every process gets the same sum.
  [[nodiscard]] double sum(double own) const;
  /// Adds element by element.
  [[nodiscard]] std::vector<std::int64_t> sum(const std::vector<std::int64_t>& own) const;

  /// Runs `work` without communication on every process. If it throws anywhere, all throw the AgreedError of the first
  /// process where it did.
  template <class Work>
  void together(const Work& work) const {
    agree(failure_of(work));
  }

 private:
  template <class Work>
  static std::optional<Error> failure_of(const Work& work) {
    try {
      work();
    } catch (const Error& error) {
      return error;
    } catch (const std::bad_alloc&) {
      return Error(ExitStatus::internal, "out of memory");
    } catch (const std::exception& failure) {
      return Error(ExitStatus::internal, failure.what());
    }
    return std::nullopt;
  }
  void agree(const std::optional<Error>& failure) const;

  template <class T>
  static std::vector<std::byte> to_bytes(std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<std::byte> bytes(values.size_bytes());
    if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
  }
  template <class T>
  static std::vector<T> from_bytes(std::span<const std::byte> bytes) {
    std::vector<T> values(bytes.size() / sizeof(T));
    if (!values.empty()) std::memcpy(static_cast<void*>(values.data()), bytes.data(), bytes.size());
    return values;
  }
};

}  // namespace topowise::mpi
