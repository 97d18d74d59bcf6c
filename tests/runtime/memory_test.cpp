#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>

#include "expect_error.hpp"
#include "models.hpp"
#include "runtime/handle.hpp"
#include "runtime/pool.hpp"

namespace pleiad {
namespace {

class WithSession : public ::testing::Test {
 protected:
  Session session_{testing::session_options(1, "prio")};
};
using PoolTest = WithSession;
using HandleTest = WithSession;

TEST_F(PoolTest, HandsOutZeroAlignedPiecesThatDoNotOverlap) {
  const std::size_t sizes[] = {1, 63, 64, 65, 3 << 20};
  std::size_t total = 0;
  for (std::size_t s : sizes) total += Pool::rounded(s);
  Pool pool(total);
  const std::byte* end = nullptr;
  for (std::size_t s : sizes) {
    auto* piece = static_cast<std::byte*>(pool.take(s));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(piece) % 64, 0u);
    EXPECT_GE(piece, end);
    EXPECT_EQ(std::count(piece, piece + s, std::byte{0}), static_cast<std::ptrdiff_t>(s));
    end = piece + s;
  }
  EXPECT_THAT(message_of(Exit::internal, [&] { pool.take(std::size_t{8} << 20); }), ::testing::HasSubstr("pool"));
}

TEST_F(PoolTest, SaysHowMuchIsMissing) {
  for (std::size_t bytes : {std::size_t{1} << 60, SIZE_MAX})
    EXPECT_THAT(message_of(Exit::memory, [&] { Pool pool(bytes); }), ::testing::HasSubstr(std::to_string(bytes)));
}

TEST_F(PoolTest, MayBeEmpty) { EXPECT_EQ(Pool(0).bytes(), 0u); }

TEST_F(HandleTest, HostLocksSeeWhatEarlierOnesWrote) {
  const Handle handle(8);
  {
    const HostLock lock(handle.get(), Access::write);
    std::memcpy(lock.data(), "pleiades", 8);
  }
  const HostLock lock(handle.get(), Access::read);
  EXPECT_EQ(std::memcmp(lock.data(), "pleiades", 8), 0);
}

TEST_F(HandleTest, BorrowedMemoryStaysWhereItIs) {
  std::int64_t value = 41;
  {
    BorrowedHandle handle(&value, sizeof value);
    const HostLock lock(handle.get(), Access::update);
    EXPECT_EQ(lock.data(), &value);
    ++*static_cast<std::int64_t*>(lock.data());
  }
  EXPECT_EQ(value, 42);
}

}  // namespace
}  // namespace pleiad
