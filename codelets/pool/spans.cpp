#include "codelets/pool/spans.hpp"

#include <algorithm>

namespace pleiad {

Spans::Spans(Index in, std::vector<Span> rows) : covered(std::move(rows)) {
  const auto count = static_cast<Index>(covered.size());
  Span under;
  for (Index row = 0; row < in; ++row) {
    const auto at = [&](Index place) { return covered[static_cast<std::size_t>(place)]; };
    while (under.begin < count && at(under.begin).end <= row) ++under.begin;
    under.end = std::max(under.end, under.begin);
    while (under.end < count && at(under.end).begin <= row) ++under.end;
    places.push_back(under);
  }
  for (const Span& s : covered) extent.push_back(s.end - s.begin);
}

Spans sliding_spans(const Slide& s, bool count_padding) {
  std::vector<Span> rows;
  for (Index place = 0; place < s.out; ++place) {
    const Index first = s.row(place, 0);
    rows.push_back({std::max<Index>(first, 0), std::min(first + s.kernel, s.in)});
  }
  Spans spans(s.in, std::move(rows));
  if (count_padding) std::fill(spans.extent.begin(), spans.extent.end(), s.kernel);
  return spans;
}

Spans adaptive_spans(Index in, Index out) {
  std::vector<Span> rows;
  for (Index place = 0; place < out; ++place) rows.push_back({place * in / out, ((place + 1) * in + out - 1) / out});
  return {in, std::move(rows)};
}

}  // namespace pleiad
