#pragma once
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "codelets/base/error.hpp"

namespace pleiad {

/// Runs the body, which must throw an Error with this exit code, and returns its message.
template <class Body>
std::string message_of(Exit exit, Body body) {
  try {
    body();
  } catch (const Error& e) {
    EXPECT_EQ(static_cast<int>(e.exit()), static_cast<int>(exit)) << e.what();
    return e.what();
  } catch (const std::exception& e) {
    ADD_FAILURE() << "another exception: " << e.what();
    return "";
  }
  ADD_FAILURE() << "no error";
  return "";
}

}  // namespace pleiad
