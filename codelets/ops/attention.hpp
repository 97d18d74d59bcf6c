#pragma once
#include "codelets/op.hpp"

namespace pleiad {

/// causal: query i sees the keys 0...i. scale: of the scores; 0 means 1 / sqrt(head size).
struct AttentionAttrs {
  bool causal = true;
  double scale = 0;
};

/// y = softmax(scale q k^T) v for `groups` key-value heads with `heads` query heads on each: grouped queries; with one
/// group multi-query, with one head a group the usual attention. q, y: [batch, query, group, head, size]; k, v: [batch,
/// key, group, size]; lse: [batch, query, group, head], log of the sum of exponentials, saved for the gradient.
extern const Op attention;
/// dq, dk, dv from q, k, v, y, lse, dy: the softmax is recomputed from lse.
extern const Op attention_grad;
/// y, lse of some keys and y, lse of others give y, lse of both.
extern const Op attention_combine;

}  // namespace pleiad
