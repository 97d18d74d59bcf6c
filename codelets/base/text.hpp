#pragma once
#include <array>
#include <cassert>
#include <cstddef>
#include <string_view>

namespace pleiad {

/// A short string inside a trivially copyable struct. At most N characters.
template <std::size_t N>
class Text {
 public:
  static constexpr std::size_t kCapacity = N;

  constexpr Text() = default;
  constexpr Text(std::string_view s) : size_(s.size()) {
    assert(s.size() <= N);
    for (std::size_t i = 0; i < s.size(); ++i) chars_[i] = s[i];
  }
  constexpr Text(const char* s) : Text(std::string_view(s)) {}
  constexpr operator std::string_view() const { return {chars_.data(), size_}; }
  constexpr std::string_view view() const { return *this; }
  constexpr bool empty() const { return size_ == 0; }
  friend constexpr bool operator==(const Text&, const Text&) = default;

 private:
  std::array<char, N> chars_{};
  std::size_t size_ = 0;
};

}  // namespace pleiad
