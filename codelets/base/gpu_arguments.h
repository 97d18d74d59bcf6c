// Structs that kernels take by value; read by C++, CUDA C++ and OpenCL C alike.
#ifdef __OPENCL_VERSION__
typedef long Index;
#else
#pragma once
#include "codelets/base/shape.hpp"
namespace pleiad {
#endif

#define GPU_LOOPS 8

/// Where the elements of a box, numbered row-major, lie in memory: from `start`, `stride` apart along each dimension.
typedef struct {
  Index start;
  Index extent[6], stride[6];
  int rank, unused;
} GpuStrides;

/// Rows of a matrix: where the first one starts, and how far apart they lie, in elements.
typedef struct {
  Index start, row;
  int accumulate, unused;
} GpuRows;

/// A loop nest over up to three inputs and an output: first `outputs` loops over the output, row-major, then `sums`
/// loops over what is summed. Strides in elements, inputs first, the output fourth.
typedef struct {
  Index extent[GPU_LOOPS];
  Index stride[GPU_LOOPS][4];
  int outputs, sums, inputs, unused;
} GpuLoops;

/// C[i,j] = sum over k of A[i,k] B[k,j], for a batch of matrices. Strides in elements; a, b, c: where the first matrices
/// start.
typedef struct {
  Index m, n, k;
  Index a, a_row, a_col, a_batch;
  Index b, b_row, b_col, b_batch;
  Index c, c_row, c_batch;
  int accumulate, bias;
  int activation;              // 0 none, 1 relu, 2 gelu, 3 silu
  int keep, keep_accumulates;  // keep: what the activation is applied to is stored as well
  int unused;
} GpuGemm;

/// A convolution as a gather: each element of the target sums over taps and channels of the source. Forward, the target
/// is y and the source x; back, the target is dx and the source dy. Pairs: rows, columns.
typedef struct {
  Index pixels;              // of the target: images x rows x columns
  Index w_target, w_source;  // how far channels of the two lie apart in w
  int target[2], source[2], target_channels, source_channels;
  int target_group, source_group;  // channels of one group
  int window[2], stride[2], padding[2], dilation[2];
  int back, bias, relu, accumulate;
} GpuConv;

/// Windows of a pooling op. Pairs: rows, columns; `in` of the image, `out` of what it is pooled to.
typedef struct {
  Index channels;
  int in[2], out[2], window[2], stride[2], padding[2];
  int adaptive, count_padding;
} GpuPool;

/// Extents of attention, and its mask: query i sees the keys before ahead + i.
typedef struct {
  Index batch, queries, groups, heads, size, keys, ahead;
} GpuAttention;

#define GPU_ANGLES 64

/// What one position turns pairs of channels by, in units of 2^-64 of a full turn.
typedef struct {
  Index turn[GPU_ANGLES];
} GpuAngles;

#ifndef __OPENCL_VERSION__
}  // namespace pleiad
#endif
