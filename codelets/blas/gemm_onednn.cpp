#include <omp.h>

#include <array>
#include <dnnl.hpp>
#include <map>
#include <string>
#include <vector>

#include "codelets/base/error.hpp"
#include "codelets/blas/gemm.hpp"

namespace pleiad {
namespace {

using dnnl::memory;

/// Primitives and memory objects of one thread; a thread starts over when it has seen more shapes than this.
constexpr std::size_t kMaxProducts = 512;

const dnnl::engine& engine() {
  static const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
  return cpu;
}

/// The library asks OpenMP how many threads to use, both when it makes a primitive and when it runs one.
void use_one_thread() {
  thread_local const bool once = (omp_set_num_threads(1), true);
  static_cast<void>(once);
}

memory::data_type type_of(const Gemm& g) {
  return g.dtype == DType::bf16 ? memory::data_type::bf16 : memory::data_type::f32;
}

memory::data_type type_of_c(const Gemm& g) { return g.wide ? memory::data_type::f32 : type_of(g); }

memory::desc matrices(const Gemm& g, memory::data_type type, Index rows, Index cols, Index stride,
                      const BlasLayout& l) {
  memory::dims extents{rows, cols}, strides{l.transposed ? 1 : l.leading, l.transposed ? l.leading : 1};
  if (g.batch > 1) {
    extents.insert(extents.begin(), g.batch);
    strides.insert(strides.begin(), stride);
  }
  return {extents, type, strides};
}

memory::desc desc_of_b(const Gemm& g) { return matrices(g, type_of(g), g.k, g.n, g.b_batch, layout_b(g)); }

dnnl::primitive_attr attributes(const Gemm& g) {
  dnnl::primitive_attr attr;
  if (g.alpha != 1) attr.set_output_scales(0, {static_cast<float>(g.alpha)});
  dnnl::post_ops after;
  if (g.accumulate) after.append_sum(1.0f);
  attr.set_post_ops(after);
  return attr;
}

/// A matmul primitive with the memory objects it is run on; belongs to one thread.
class Product {
 public:
  explicit Product(const Gemm& g) {
    const auto a = matrices(g, type_of(g), g.m, g.k, g.a_batch, layout_a(g));
    const auto b = g.packed ? memory::desc({g.k, g.n}, type_of(g), memory::format_tag::any) : desc_of_b(g);
    const auto c = matrices(g, type_of_c(g), g.m, g.n, g.c_batch, {true, false, g.m == 1 ? g.n : g.c_row});
    const auto desc = g.bias ? dnnl::matmul::desc(a, b, bias_desc(g), c) : dnnl::matmul::desc(a, b, c);
    const dnnl::matmul::primitive_desc product(desc, attributes(g), engine());
    primitive_ = dnnl::matmul(product);
    add(DNNL_ARG_SRC, a);
    add(DNNL_ARG_WEIGHTS, product.weights_desc());
    add(DNNL_ARG_DST, c);
    if (g.bias) add(DNNL_ARG_BIAS, bias_desc(g));
  }

  memory::desc b() const { return memories_[1].get_desc(); }

  void run(const GemmData& d) {
    thread_local dnnl::stream stream(engine());
    const std::array<const void*, 4> data{d.a, d.b, d.c, d.bias};
    for (std::size_t i = 0; i < args_.size(); ++i) memories_[i].set_data_handle(const_cast<void*>(data[i]), stream);
    dnnl::error::wrap_c_api(
        dnnl_primitive_execute(primitive_.get(), stream.get(), static_cast<int>(args_.size()), args_.data()),
        "could not execute a matmul primitive");
  }

 private:
  static memory::desc bias_desc(const Gemm& g) {
    memory::dims extents{1, g.n}, strides{g.n, 1};
    if (g.batch > 1) {
      extents.insert(extents.begin(), 1);
      strides.insert(strides.begin(), g.n);
    }
    return {extents, type_of(g), strides};
  }
  void add(int role, const memory::desc& desc) {
    memories_.emplace_back(desc, engine(), nullptr);
    args_.push_back({role, memories_.back().get()});
  }

  dnnl::matmul primitive_;
  std::vector<memory> memories_;
  std::vector<dnnl_exec_arg_t> args_;
};

Product& product(const Gemm& g) {
  thread_local std::map<Gemm, Product> products;
  const auto at = products.find(g);
  if (at != products.end()) return at->second;
  if (products.size() >= kMaxProducts) products.clear();
  return products.emplace(g, g).first->second;
}

[[noreturn]] void fail(const Gemm& g, const char* why) {
  fatal("oneDNN: " + std::string(why) + " for " + std::to_string(g.batch) + " x " + std::to_string(g.m) + "x" +
        std::to_string(g.k) + " by " + std::to_string(g.k) + "x" + std::to_string(g.n) + " in " +
        std::string(name_of(g.dtype)));
}

/// relu is a pass of our own: the library's turns NaN into 0, which would hide that a run diverged.
void run_matmul(const Gemm& g, const GemmData& d) noexcept {
  use_one_thread();
  try {
    product(g).run(d);
    Gemm left = g;
    left.bias = false;
    finish(left, d);
  } catch (const dnnl::error& e) {
    fail(g, e.what());
  }
}

Product& packed_product(Gemm g) {
  use_one_thread();
  g.packed = true;
  return product(g);
}

std::size_t packed_bytes(const Gemm& g) { return packed_product(g).b().get_size(); }

void pack(const Gemm& g, const void* b, void* packed) noexcept {
  try {
    dnnl::stream stream(engine());
    memory from(desc_of_b(g), engine(), const_cast<void*>(b)), to(packed_product(g).b(), engine(), packed);
    dnnl::reorder(from, to).execute(stream, from, to);
  } catch (const dnnl::error& e) {
    fail(g, e.what());
  }
}

bool cpu_has_bf16() {
  const auto isa = static_cast<unsigned>(dnnl::get_effective_cpu_isa());
  const auto bf16 = static_cast<unsigned>(dnnl::cpu_isa::avx512_core_bf16);
  return (isa & bf16) == bf16;
}

bool matmul_fits(const Gemm& g) {
  static const bool bf16 = cpu_has_bf16();
  return (g.dtype == DType::f32 || (g.dtype == DType::bf16 && bf16)) && blas_layouts(g);
}

void run_sgemm(const Gemm& g, const GemmData& d) noexcept {
  use_one_thread();
  const BlasLayout a = layout_a(g), b = layout_b(g);
  for (Index i = 0; i < g.batch; ++i) {
    const auto status = dnnl_sgemm(
        a.transposed ? 'T' : 'N', b.transposed ? 'T' : 'N', g.m, g.n, g.k, static_cast<float>(g.alpha),
        static_cast<const float*>(d.a) + i * g.a_batch, a.leading, static_cast<const float*>(d.b) + i * g.b_batch,
        b.leading, g.accumulate ? 1.0f : 0.0f, static_cast<float*>(d.c) + i * g.c_batch, g.m == 1 ? g.n : g.c_row);
    if (status != dnnl_success) fail(g, "dnnl_sgemm refused");
  }
  finish(g, d);
}

bool sgemm_fits(const Gemm& g) { return g.dtype == DType::f32 && !g.packed && blas_layouts(g); }

}  // namespace

const GemmBackend gemm_onednn{"onednn", matmul_fits, run_matmul, packed_bytes, pack};
const GemmBackend gemm_onednn_sgemm{"onednn_sgemm", sgemm_fits, run_sgemm};

}  // namespace pleiad
