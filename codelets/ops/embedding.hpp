#pragma once
#include "codelets/op.hpp"

namespace pleiad {

/// The rows of a table that ids name. ids: [...], a negative one gives zeros; weight: [vocabulary, channel]; y: [...,
/// channel].
extern const Op embedding;

/// Rows of the table, which the gradient's inputs do not tell.
struct EmbeddingGradAttrs {
  Index vocabulary = 0;
};
/// dw from ids, dy: the sum of the rows of dy of each id, in their order.
extern const Op embedding_grad;

}  // namespace pleiad
