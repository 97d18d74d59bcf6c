// The language of kernel texts (*.gpu): a subset that OpenCL C and CUDA C++ share. A text is compiled once per storage
// type, defined as T_F32, T_F64, T_BF16 or T_I32: T is that type, W the one it is computed in (float for bf16). No
// atomics, so results are the same every time.
#ifdef __OPENCL_VERSION__

#define KERNEL(name) __kernel void name##_kernel
#define KERNEL_STORED(name) KERNEL(name)  // also for ids and counts, T_I32
#define INLINE static inline
#define GLOBAL __global  // qualifies pointers to tiles
#define LOCAL __local    // qualifies pointers to memory of the work group
/// An array of the work group; declared at the top of a kernel, n a constant.
#define SHARED(type, name, n) __local type name[n]
/// Every item of the group must come by.
#define BARRIER() barrier(CLK_LOCAL_MEM_FENCE)
#define LOCAL_ID(d) ((int)get_local_id(d))
#define GROUP_SIZE(d) ((int)get_local_size(d))
#define GROUP(d) ((Index)get_group_id(d))
#define GROUPS(d) ((Index)get_num_groups(d))
#define FLOAT_OF_BITS(u) as_float(u)
#define BITS_OF_FLOAT(f) as_uint(f)
#define HIGH_PRODUCT(a, b) mul_hi(a, b)
#ifdef T_F64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#else  // CUDA C++

#define KERNEL(name) static __global__ void name##_kernel
#define KERNEL_STORED(name) KERNEL(name)
#define INLINE static __device__ inline
#define GLOBAL
#define LOCAL
#define SHARED(type, name, n) __shared__ type name[n]
#define BARRIER() __syncthreads()
#define DIMENSION(v, d) ((d) == 0 ? (v).x : (d) == 1 ? (v).y : (v).z)
#define LOCAL_ID(d) ((int)DIMENSION(threadIdx, d))
#define GROUP_SIZE(d) ((int)DIMENSION(blockDim, d))
#define GROUP(d) ((Index)DIMENSION(blockIdx, d))
#define GROUPS(d) ((Index)DIMENSION(gridDim, d))
#define FLOAT_OF_BITS(u) __uint_as_float(u)
#define BITS_OF_FLOAT(f) __float_as_uint(f)
#define HIGH_PRODUCT(a, b) __umulhi(a, b)

#endif

#if defined(T_F64)
typedef double T;
typedef double W;
#elif defined(T_BF16)
typedef unsigned short T;
typedef float W;
#elif defined(T_I32)
typedef int T;
typedef int W;
#else
typedef float T;
typedef float W;
#endif

/// A constant of the computing type: plain 0.5 is a double.
#define R(x) ((W)(x))

/// The loop of an element-wise kernel: i runs over this item's share of 0...n-1.
#define ELEMENTS(i, n) \
  for (Index i = GROUP(0) * GROUP_SIZE(0) + LOCAL_ID(0); i < (n); i += GROUPS(0) * GROUP_SIZE(0))

/// p[i] in the computing type.
INLINE W load(GLOBAL const T* p, Index i) {
#ifdef T_BF16
  return FLOAT_OF_BITS((unsigned)p[i] << 16);
#else
  return p[i];
#endif
}

/// p[i] = x, rounded to nearest even.
INLINE void store(GLOBAL T* p, Index i, W x) {
#ifdef T_BF16
  const unsigned u = BITS_OF_FLOAT(x);
  p[i] = (u & 0x7fffffffu) > 0x7f800000u ? (T)((u | 0x400000u) >> 16) : (T)((u + 0x7fffu + ((u >> 16) & 1u)) >> 16);
#else
  p[i] = x;
#endif
}

/// Stores x, or adds it when the tile accumulates.
INLINE void put(GLOBAL T* p, Index i, W x, int accumulate) { store(p, i, accumulate ? load(p, i) + x : x); }
/// The same for operands of the wide type.
INLINE void put_wide(GLOBAL W* p, Index i, W x, int accumulate) { p[i] = accumulate ? p[i] + x : x; }

/// Place of the i-th element of a box.
INLINE Index offset_of(const GpuStrides* s, Index i) {
  Index offset = s->start;
  for (int d = s->rank - 1; d >= 0; --d) {
    offset += i % s->extent[d] * s->stride[d];
    i /= s->extent[d];
  }
  return offset;
}

/// Where a row starts.
INLINE Index row_of(const GpuRows* r, Index row) { return r->start + row * r->row; }

#ifndef T_I32
INLINE W sigmoid(W x) { return R(1) / (R(1) + exp(-x)); }
#define GELU_A R(0.79788456080286535588)
#define GELU_B R(0.044715)
INLINE W gelu_of(W x) { return R(0.5) * x * (R(1) + tanh(GELU_A * (x + GELU_B * x * x * x))); }
INLINE W silu_of(W x) { return x * sigmoid(x); }
#endif

/// Sum over the items of a one-dimensional group, in a fixed order; every item gets it. `shared`: one W an item. Group
/// sizes are powers of two.
INLINE W group_sum(W x, LOCAL W* shared) {
  const int i = LOCAL_ID(0);
  shared[i] = x;
  BARRIER();
  for (int step = GROUP_SIZE(0) / 2; step > 0; step /= 2) {
    if (i < step) shared[i] += shared[i + step];
    BARRIER();
  }
  const W sum = shared[0];
  BARRIER();
  return sum;
}
/// The largest; a NaN that only some items have may be lost.
INLINE W group_max(W x, LOCAL W* shared) {
  const int i = LOCAL_ID(0);
  shared[i] = x;
  BARRIER();
  for (int step = GROUP_SIZE(0) / 2; step > 0; step /= 2) {
    if (i < step && shared[i] < shared[i + step]) shared[i] = shared[i + step];
    BARRIER();
  }
  const W top = shared[0];
  BARRIER();
  return top;
}
