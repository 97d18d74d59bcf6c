#pragma once
#include "codelets/blas/gemm.hpp"
#include "codelets/rnn/rows.hpp"

// What a kernel that walks through time needs: one product a step with the same weights.

namespace pleiad {

/// A product whose B stays the same for many steps: packed once where the backend can.
class StepProduct {
 public:
  StepProduct(const GemmBackend& backend, const Gemm& gemm) : backend_(backend), gemm_(gemm) {}

  std::size_t bytes() const { return backend_.packed_bytes ? backend_.packed_bytes(gemm_) : 0; }
  /// `memory`: 64-byte aligned, of the size above; it and b must live as long as this product is used.
  void set_weights(const void* b, void* memory) noexcept {
    b_ = b;
    if (!backend_.pack) return;
    backend_.pack(gemm_, b, memory);
    gemm_.packed = true;
    b_ = memory;
  }
  void run(const void* a, void* c, const void* bias = nullptr) const noexcept { backend_.run(gemm_, {a, b_, c, bias}); }

 private:
  const GemmBackend& backend_;
  Gemm gemm_;
  const void* b_ = nullptr;
};

/// The steps of a recurrent op: batch rows, time, inputs, gates of all kinds together, hidden.
struct Steps {
  Index batch = 0, time = 0, in = 0, gates = 0, hidden = 0;
};

/// x w_ih^T + b_ih of all time steps at once. Rows of the result are `c_row` apart.
inline Gemm input_product(const Steps& s, DType t, Index c_row) {
  return {.dtype = t,
          .m = s.batch * s.time,
          .n = s.gates,
          .k = s.in,
          .a_row = s.in,
          .a_col = 1,
          .b_row = 1,
          .b_col = s.in,
          .c_row = c_row,
          .bias = true};
}
/// h w_hh^T + b_hh of one step, in the wide type.
inline Gemm hidden_product(const Steps& s, DType t) {
  return {.dtype = t,
          .wide = true,
          .m = s.batch,
          .n = s.gates,
          .k = s.hidden,
          .a_row = s.hidden,
          .a_col = 1,
          .b_row = 1,
          .b_col = s.hidden,
          .c_row = s.gates,
          .bias = true};
}
/// dz w_hh of one step, in the wide type: what reaches the hidden state before.
inline Gemm hidden_gradient_product(const Steps& s, DType t) {
  return {.dtype = t,
          .wide = true,
          .m = s.batch,
          .n = s.hidden,
          .k = s.gates,
          .a_row = s.gates,
          .a_col = 1,
          .b_row = s.hidden,
          .b_col = 1,
          .c_row = s.hidden};
}

}  // namespace pleiad
