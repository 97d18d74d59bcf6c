#include "codelets/conv/conv_onednn.hpp"

#include <omp.h>

#include <algorithm>
#include <dnnl.hpp>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

#include "codelets/base/error.hpp"
#include "codelets/kernel.hpp"

namespace pleiad {
namespace {

using dnnl::memory;
using Type = memory::data_type;
using Tag = memory::format_tag;

/// A thread starts over when it has seen more problems than this.
constexpr std::size_t kMaxConvolutions = 256;

const dnnl::engine& engine() {
  static const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
  return cpu;
}

/// The library asks OpenMP how many threads to use, both when it makes a primitive and when it runs one.
void use_one_thread() {
  thread_local const bool once = (omp_set_num_threads(1), true);
  static_cast<void>(once);
}

/// Operands as they lie in our memory, and as the primitive may have them: weights in any format, and activations too
/// for winograd. Sums over the batch are kept in f32.
struct Layouts {
  memory::desc x, w, y, b;

  static Layouts given(const Conv& c) {
    const Type t = c.dtype == DType::bf16 ? Type::bf16 : Type::f32;
    return {{x_dims(c), t, Tag::nhwc},
            {w_dims(c), t, c.groups > 1 ? Tag::goihw : Tag::oihw},
            {y_dims(c), t, Tag::nhwc},
            {{c.out}, t, Tag::x}};
  }
  static Layouts wanted(const ConvProblem& p) {
    Layouts l = given(p.conv);
    const Type t = l.x.data_type(), sums = p.pass == ConvPass::weights ? Type::f32 : t;
    l.w = {w_dims(p.conv), sums, Tag::any};
    l.b = {{p.conv.out}, sums, Tag::x};
    if (p.winograd) {
      l.x = {x_dims(p.conv), t, Tag::any};
      l.y = {y_dims(p.conv), t, Tag::any};
    }
    return l;
  }

 private:
  static memory::dims x_dims(const Conv& c) { return {c.batch, c.in, c.rows.in, c.cols.in}; }
  static memory::dims y_dims(const Conv& c) { return {c.batch, c.out, c.rows.out, c.cols.out}; }
  static memory::dims w_dims(const Conv& c) {
    if (c.groups == 1) return {c.out, c.in, c.rows.kernel, c.cols.kernel};
    return {c.groups, c.group_out(), c.group_in(), c.rows.kernel, c.cols.kernel};
  }
};

/// The library's numbers for strides, dilations and paddings.
struct Window {
  memory::dims stride, dilation, padding;

  explicit Window(const Conv& c)
      : stride{c.rows.stride, c.cols.stride},
        dilation{c.rows.dilation - 1, c.cols.dilation - 1},
        padding{c.rows.padding, c.cols.padding} {}
};

/// Whether the forward primitive itself can add to what is there: it then writes our memory directly.
bool sums_in_place(const ConvProblem& p) { return p.accumulate && p.pass == ConvPass::forward && !p.winograd; }

dnnl::primitive_attr attributes(const ConvProblem& p) {
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  if (!sums_in_place(p)) return attr;
  dnnl::post_ops after;
  after.append_sum(1.0f);
  attr.set_post_ops(after);
  return attr;
}

using Forward = dnnl::convolution_forward;
using Data = dnnl::convolution_backward_data;
using Weights = dnnl::convolution_backward_weights;

dnnl::algorithm algorithm_of(const ConvProblem& p) {
  return p.winograd ? dnnl::algorithm::convolution_winograd : dnnl::algorithm::convolution_direct;
}

Forward::primitive_desc forward(const ConvProblem& p) {
  const Layouts l = Layouts::wanted(p);
  const Window s(p.conv);
  const auto kind = dnnl::prop_kind::forward_training;
  const auto a = algorithm_of(p);
  const auto desc = p.bias ? Forward::desc(kind, a, l.x, l.w, l.b, l.y, s.stride, s.dilation, s.padding, s.padding)
                           : Forward::desc(kind, a, l.x, l.w, l.y, s.stride, s.dilation, s.padding, s.padding);
  return {desc, attributes(p), engine()};
}

/// What the library wants to be told of the forward pass when it makes a backward one.
Forward::primitive_desc hint(ConvProblem p) {
  p.pass = ConvPass::forward;
  p.bias = p.accumulate = p.accumulate_bias = false;
  return forward(p);
}

Data::primitive_desc backward_data(const ConvProblem& p) {
  const Layouts l = Layouts::wanted(p);
  const Window s(p.conv);
  const Data::desc desc(algorithm_of(p), l.x, l.w, l.y, s.stride, s.dilation, s.padding, s.padding);
  return {desc, attributes(p), engine(), hint(p)};
}

Weights::primitive_desc backward_weights(const ConvProblem& p) {
  const Layouts l = Layouts::wanted(p);
  const Window s(p.conv);
  const auto a = algorithm_of(p);
  const auto desc = p.bias ? Weights::desc(a, l.x, l.w, l.b, l.y, s.stride, s.dilation, s.padding, s.padding)
                           : Weights::desc(a, l.x, l.w, l.y, s.stride, s.dilation, s.padding, s.padding);
  return {desc, attributes(p), engine(), hint(p)};
}

std::size_t padded(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

/// One primitive with the reorders around it; belongs to one thread.
class Convolution {
 public:
  explicit Convolution(const ConvProblem& p) : problem_(p) {
    if (p.pass == ConvPass::forward)
      make(forward(p));
    else if (p.pass == ConvPass::data)
      make(backward_data(p));
    else
      make(backward_weights(p));
  }

  void run(const ConvData& d) {
    thread_local dnnl::stream stream(engine());
    auto* const base = static_cast<char*>(scratch(bytes_));
    scratchpad_.set_data_handle(base, stream);
    for (Operand& o : operands_) {
      o.given.set_data_handle(d.*o.data, stream);
      o.wanted.set_data_handle(o.copy ? base + o.offset : d.*o.data, stream);
      if (o.copy && !o.output) o.copy->execute(stream, o.given, o.wanted);
    }
    primitive_.execute(stream, args_);
    for (Operand& o : operands_)
      if (o.copy && o.output) o.copy->execute(stream, o.wanted, o.given);
  }

 private:
  /// `wanted` is `given` itself, or a copy of it in scratch memory.
  struct Operand {
    void* ConvData::*data;
    bool output;
    memory given, wanted;
    std::optional<dnnl::reorder> copy;
    std::size_t offset;
  };

  void make(const Forward::primitive_desc& d) {
    const Layouts l = Layouts::given(problem_.conv);
    start(d, d.scratchpad_desc());
    add(&ConvData::x, DNNL_ARG_SRC, l.x, d.src_desc());
    add(&ConvData::w, DNNL_ARG_WEIGHTS, l.w, d.weights_desc());
    add(&ConvData::y, DNNL_ARG_DST, l.y, d.dst_desc(), true);
    if (problem_.bias) add(&ConvData::b, DNNL_ARG_BIAS, l.b, d.bias_desc());
  }
  void make(const Data::primitive_desc& d) {
    const Layouts l = Layouts::given(problem_.conv);
    start(d, d.scratchpad_desc());
    add(&ConvData::y, DNNL_ARG_DIFF_DST, l.y, d.diff_dst_desc());
    add(&ConvData::w, DNNL_ARG_WEIGHTS, l.w, d.weights_desc());
    add(&ConvData::x, DNNL_ARG_DIFF_SRC, l.x, d.diff_src_desc(), true);
  }
  void make(const Weights::primitive_desc& d) {
    const Layouts l = Layouts::given(problem_.conv);
    start(d, d.scratchpad_desc());
    add(&ConvData::x, DNNL_ARG_SRC, l.x, d.src_desc());
    add(&ConvData::y, DNNL_ARG_DIFF_DST, l.y, d.diff_dst_desc());
    add(&ConvData::w, DNNL_ARG_DIFF_WEIGHTS, l.w, d.diff_weights_desc(), true);
    if (problem_.bias) add(&ConvData::b, DNNL_ARG_DIFF_BIAS, l.b, d.diff_bias_desc(), true);
  }

  template <class Desc>
  void start(const Desc& d, const memory::desc& scratchpad) {
    primitive_ = dnnl::primitive(d);
    scratchpad_ = memory(scratchpad, engine(), nullptr);
    bytes_ = padded(scratchpad.get_size());
    args_.emplace(DNNL_ARG_SCRATCHPAD, scratchpad_);
  }
  void add(void* ConvData::*data, int role, const memory::desc& given, const memory::desc& wanted,
           bool output = false) {
    const bool adds = output && adds_to(data);
    Operand o{data, output, {given, engine(), nullptr}, {wanted, engine(), nullptr}, {}, bytes_};
    if (adds || given != wanted) {
      o.copy = output ? copy(wanted, given, adds) : copy(given, wanted, false);
      bytes_ += padded(wanted.get_size());
    }
    args_.emplace(role, o.wanted);
    operands_.push_back(std::move(o));
  }
  /// Whether this output is added to what is there, which the primitive cannot do by itself.
  bool adds_to(void* ConvData::*output) const {
    if (output == &ConvData::b) return problem_.accumulate_bias;
    return problem_.accumulate && !sums_in_place(problem_);
  }
  static dnnl::reorder copy(const memory::desc& from, const memory::desc& to, bool adds) {
    dnnl::primitive_attr attr;
    dnnl::post_ops after;
    if (adds) after.append_sum(1.0f);
    attr.set_post_ops(after);
    return dnnl::reorder(dnnl::reorder::primitive_desc(engine(), from, engine(), to, attr));
  }

  ConvProblem problem_;
  dnnl::primitive primitive_;
  memory scratchpad_;
  std::vector<Operand> operands_;
  std::unordered_map<int, memory> args_;
  std::size_t bytes_ = 0;  // of scratch memory: the scratchpad, then the copies
};

Convolution& convolution(const ConvProblem& p) {
  thread_local std::map<ConvProblem, Convolution> made;
  const auto at = made.find(p);
  if (at != made.end()) return at->second;
  if (made.size() >= kMaxConvolutions) made.clear();
  return made.try_emplace(p, p).first->second;
}

bool cpu_has_bf16() {
  const auto isa = static_cast<unsigned>(dnnl::get_effective_cpu_isa());
  const auto bf16 = static_cast<unsigned>(dnnl::cpu_isa::avx512_core_bf16);
  return (isa & bf16) == bf16;
}

/// Below 64 channels the transforms of the images cost what they save; below 96 tiles of 4x4, those of the weights. The
/// library has the algorithm for AVX-512 alone.
bool winograd_gains(const Conv& c) {
  const auto plain = [](const Slide& s) { return s.kernel == 3 && s.stride == 1 && s.dilation == 1 && s.padding <= 1; };
  const auto wide = [](Index channels) { return channels >= 64 && channels % 16 == 0; };
  const Index tiles = c.batch * ((c.rows.out + 3) / 4) * ((c.cols.out + 3) / 4);
  return c.dtype == DType::f32 && c.groups == 1 && plain(c.rows) && plain(c.cols) && wide(c.in) && wide(c.out) &&
         tiles >= 96;
}

bool can_be_made(const ConvProblem& p) {
  use_one_thread();
  try {
    convolution(p);
    return true;
  } catch (const dnnl::error&) {
    return false;
  }
}

}  // namespace

bool onednn_convolves(const ConvProblem& p) {
  static const bool bf16 = cpu_has_bf16();
  if (p.winograd) return winograd_gains(p.conv) && can_be_made(p);
  return p.conv.dtype == DType::f32 || (p.conv.dtype == DType::bf16 && bf16);
}

void convolve_onednn(const ConvProblem& p, const ConvData& d) noexcept {
  use_one_thread();
  try {
    convolution(p).run(d);
  } catch (const dnnl::error& e) {
    const Conv& c = p.conv;
    fatal("oneDNN: " + std::string(e.what()) + " for a convolution of " + std::to_string(c.batch) + "x" +
          std::to_string(c.rows.in) + "x" + std::to_string(c.cols.in) + "x" + std::to_string(c.in) + " to " +
          std::to_string(c.out) + " channels in " + std::string(name_of(c.dtype)));
  }
}

}  // namespace pleiad
