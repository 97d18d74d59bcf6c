#include <algorithm>
#include <optional>

#include "codelets/base/error.hpp"
#include "codelets/gpu/cuda_queue.hpp"

namespace pleiad {
namespace {

void check_cublas(cublasStatus_t code, const std::string& call) {
  if (code != CUBLAS_STATUS_SUCCESS)
    throw Error(Exit::hardware, "cuBLAS: " + call + " failed: " + cublasGetStatusString(code));
}

/// A row-major matrix as cuBLAS takes it: column-major it is its own transpose.
struct Operand {
  cublasOperation_t transposed;  // relative to that transpose
  Index leading;
};
/// `rows` x `columns`, elements row + column apart; none if neither rows nor columns are contiguous.
std::optional<Operand> operand(Index rows, Index columns, Index row, Index column) {
  if (column == 1 || columns == 1) return Operand{CUBLAS_OP_N, std::max(row, columns)};
  if (row == 1 || rows == 1) return Operand{CUBLAS_OP_T, std::max(column, rows)};
  return {};
}

struct Types {
  cudaDataType data;
  cublasComputeType_t compute;
};
std::optional<Types> types_of(DType dtype) {
  switch (dtype) {
    case DType::f32:
      return Types{CUDA_R_32F, CUBLAS_COMPUTE_32F};
    case DType::f64:
      return Types{CUDA_R_64F, CUBLAS_COMPUTE_64F};
    case DType::bf16:
      return Types{CUDA_R_16BF, CUBLAS_COMPUTE_32F};
    default:
      return {};
  }
}

/// alpha and beta in the computing type.
struct Scales {
  Scales(double alpha, double beta, DType dtype)
      : wide_{alpha, beta},
        narrow_{static_cast<float>(alpha), static_cast<float>(beta)},
        is_wide_(dtype == DType::f64) {}
  const void* alpha() const { return is_wide_ ? static_cast<const void*>(&wide_[0]) : &narrow_[0]; }
  const void* beta() const { return is_wide_ ? static_cast<const void*>(&wide_[1]) : &narrow_[1]; }

 private:
  double wide_[2];
  float narrow_[2];
  bool is_wide_;
};

}  // namespace

cublasHandle_t CudaQueue::cublas() {
  if (cublas_ == nullptr) {
    check_cublas(cublasCreate(&cublas_), "cublasCreate");
    check_cublas(cublasSetStream(cublas_, stream_), "cublasSetStream");
  }
  return cublas_;
}

/// Row-major C = A B is column-major C^T = B^T A^T.
bool CudaQueue::multiply(DType dtype, const GpuGemm& g, Index batch, double alpha, const GpuGemmMemory& m) {
  const auto types = types_of(dtype);
  const auto a = operand(g.m, g.k, g.a_row, g.a_col), b = operand(g.k, g.n, g.b_row, g.b_col);
  if (!types || !a || !b) return false;
  const auto at = [dtype](GpuMemory memory, Index element) {
    return static_cast<std::byte*>(memory.handle) + static_cast<std::size_t>(element) * size_of(dtype);
  };
  const Scales scales(alpha, g.accumulate != 0 ? 1 : 0, dtype);
  check_cublas(cublasGemmStridedBatchedEx_64(
                   cublas(), b->transposed, a->transposed, g.n, g.m, g.k, scales.alpha(), at(m.b, g.b), types->data,
                   b->leading, g.b_batch, at(m.a, g.a), types->data, a->leading, g.a_batch, scales.beta(), at(m.y, g.c),
                   types->data, std::max(g.c_row, g.n), g.c_batch, batch, types->compute, CUBLAS_GEMM_DEFAULT),
               "cublasGemmStridedBatchedEx");
  return true;
}

}  // namespace pleiad
