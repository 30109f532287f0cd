// sample [draw] TEMPERATURE TOP_K TOP_P PENALTY LOGIT...: probabilities behind
// the tokens 3, 5, 5 and 9, or 4000 tokens without a history, by
// examples/llm/sampler.h.

#include "sampler.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

int main(int argc, char **argv) {
  bool draw = argc > 1 && !std::strcmp(argv[1], "draw");
  char **word = argv + 1 + draw;
  Sampler sampler;
  sampler.temperature = std::atof(*word++);
  sampler.top_k = static_cast<std::size_t>(std::atof(*word++));
  sampler.top_p = std::atof(*word++);
  sampler.repetition_penalty = std::atof(*word++);
  std::vector<float> logits;
  for (; word != argv + argc; ++word)
    logits.push_back(static_cast<float>(std::atof(*word)));
  const float *begin = logits.data(), *end = begin + logits.size();
  for (int i = 0; draw && i < 4000; ++i)
    std::printf("%d\n", static_cast<int>(sampler.next(begin, end, {})));
  if (!draw)
    for (double chance : sampler.probabilities(begin, end, {3, 5, 5, 9}))
      std::printf("%.17g\n", chance);
  return 0;
}
