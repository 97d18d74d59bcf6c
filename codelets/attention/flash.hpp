#pragma once
#include "codelets/op.hpp"

namespace pleiad {

/// Attention by blocks of scores that stay in the caches, with an online softmax (Dao et al. 2022, FlashAttention).
void run_flash_forward(const Call&) noexcept;
void run_flash_backward(const Call&) noexcept;

}  // namespace pleiad
