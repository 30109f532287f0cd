// A cache in a session: what onnxc/states.hpp does with it.

#include "cache.h"

#include "../check.h"

#include <onnxc/states.hpp>

#include <array>

static float run(onnxc::Session &session, float value) {
  const std::array<float, 3> x = {value, value, value};
  const std::int64_t one = 1;
  auto outputs = session.try_run(
      {{"x", {x, {1, 1, 3}}}, {"i", onnxc::Tensor::scalar(one)}});
  CHECK(outputs);
  return outputs->at_if(0).data_if<float>()[0];
}

static void goes_without_exceptions() {
  onnxc::Options options;
  onnxc::States::set_capacity(options, 8);
  auto session = onnxc::Session::open(cache_query, options);
  CHECK(session);
  onnxc::States states(*session);
  CHECK(states.size() == 1 && states.find("past") == 0u && !states.find("x"));
  CHECK(std::string_view(states.output(0)) == "present");
  CHECK(run(*session, 1) == 6 && run(*session, 2) == 18);
  CHECK(states.length() == 2);
  auto shape = states.try_shape(0);
  CHECK(shape && shape->size() == 4 && (*shape)[2] == 2);
  auto past = states.try_get<float>(0);
  CHECK(past && past->size() == 12 && (*past)[3] == 2);
  CHECK(states.try_get<double>(0).text() ==
        "state 'past' holds float, expected double");
  auto saved = states.try_save();
  CHECK(saved);
  auto fork = states.try_fork();
  CHECK(fork && run(*fork, 1) == 24 && states.length() == 2);
  CHECK(states.try_truncate(1).status == ONNXC_OK && states.length() == 1);
  CHECK(states.try_truncate(2).status == ONNXC_INVALID_ARGUMENT);
  CHECK(states.try_load(*saved).status == ONNXC_OK && states.length() == 2);
  saved->pop_back();
  CHECK(states.try_load(*saved).text.find("not saved states") !=
        std::string::npos);
  CHECK(states.try_reset().status == ONNXC_OK && states.length() == 0);
  const std::array<float, 6> two = {1, 2, 3, 4, 5, 6};
  CHECK(states.try_set(0, {two, {1, 2, 1, 3}}).status == ONNXC_OK);
  CHECK(run(*session, 0) == 21);
}

int main() {
  goes_without_exceptions();
#if ONNXC_EXCEPTIONS
  onnxc::Session session(cache_query);
  onnxc::States states(session);
  run(session, 1);
  onnxc::Session other = states.fork();
  CHECK(onnxc::States(other).get<float>(0) == states.get<float>(0));
  states.load(states.save());
  states.truncate(0, 0);
  states.reset();
  try {
    states.truncate(5);
    CHECK(false);
  } catch (const onnxc::Error &error) {
    CHECK(error.status() == ONNXC_INVALID_ARGUMENT);
  }
#endif
  return 0;
}
