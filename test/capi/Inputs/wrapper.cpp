// Calls models through onnxc.hpp; see ../wrapper.test.

#include "wrapper.h"
#include "maps.h"
#include "sequences.h"
#include "threads.h"

#include <onnxc/onnxc.hpp>

#include <array>
#include <cstdio>
#include <cstring>
#include <thread>
#if __cplusplus >= 202002L
#include <span>
#endif

static int failures = 0;

#define CHECK(...)                                                             \
  do {                                                                         \
    if (!(__VA_ARGS__)) {                                                      \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #__VA_ARGS__);   \
      ++failures;                                                              \
    }                                                                          \
  } while (0)

namespace {
const std::vector<float> x = {1, 2, 3, 4, 5, 6};
const std::int64_t first = 0;

void check_failure(const onnxc::Result<onnxc::Outputs> &result,
                   onnxc_status status, const char *text) {
  CHECK(!result && result.status() == status && result.text() == text);
  if (!result && result.text() != text)
    std::fprintf(stderr, "have: %d %s\n", result.status(),
                 result.text().c_str());
}

void describes() {
  onnxc::Result<onnxc::Model> model = onnxc::Model::open(wrapper_query);
  CHECK(model && model.text().empty() && model.status() == ONNXC_OK);
  CHECK(model->num_inputs() == 2 && model->num_overridable() == 1);
  CHECK(model->num_outputs() == 3);
  CHECK(model->find_input("bias") == std::size_t(2));
  CHECK(!model->find_input("sum") && model->find_output("sum"));
  onnxc::ValueInfo input = model->input(0);
  CHECK(!std::strcmp(input.name(), "x") && input.dtype() == ONNXC_FLOAT);
  CHECK(!std::strcmp(input.type(), "tensor(float)"));
  CHECK(input.rank() == 2 && input.dims().size() == 2);
  CHECK(input.dims()[0] == -1 && input.dims()[1] == 3);
  CHECK(!std::strcmp(input.symbol(0), "N"));
  onnxc::Result<onnxc::Model> none = onnxc::Model::open(
      [](std::uint32_t) -> const onnxc_model * { return nullptr; });
  CHECK(!none && none.status() == ONNXC_ABI_MISMATCH);
  CHECK(none.text() ==
        "the model was compiled for another version of the interface");
}

// Every way to give elements.
void takes_elements() {
  onnxc::Result<onnxc::Session> session = onnxc::Session::open(wrapper_query);
  CHECK(session);
  const float array[6] = {1, 2, 3, 4, 5, 6};
  std::array<float, 6> standard = {1, 2, 3, 4, 5, 6};
  std::vector<std::int64_t> sizes = {2, 3};
  const onnxc::Tensor inputs[] = {
      onnxc::Tensor(x, {2, 3}),
      onnxc::Tensor(array, {2, 3}),
      onnxc::Tensor(standard, onnxc::Shape(sizes)),
      onnxc::Tensor(onnxc::span<const float>(x.data(), 6), {2, 3}),
      onnxc::Tensor(onnxc::span<float>(standard), {2, 3}),
#if __cplusplus >= 202002L
      onnxc::Tensor(std::span<const float>(x), {2, 3}),
#endif
  };
  for (const onnxc::Tensor &input : inputs) {
    onnxc::Result<onnxc::Outputs> outputs =
        session->try_run({{"i", onnxc::Tensor::scalar(first)}, {"x", input}});
    CHECK(outputs && outputs->size() == 3);
    std::optional<onnxc::Tensor> sum = outputs->find("sum");
    CHECK(sum && sum->holds<float>() && sum->data_if<float>()[0] == 21);
  }
  // No rows: no elements, and no default value.
  std::vector<float> none;
  onnxc::Result<onnxc::Outputs> outputs =
      session->try_run_in_order({{none, {0, 3}}, onnxc::Tensor::scalar(first)});
  check_failure(outputs, ONNXC_RUNTIME_ERROR, outputs.text().c_str());
  CHECK(outputs.text().find("Gather") != std::string::npos);
}

void gives_outputs() {
  onnxc::Session session = *onnxc::Session::open(wrapper_query);
  onnxc::Outputs outputs = *session.try_run(
      {{"x", {x, {2, 3}}}, {"i", onnxc::Tensor::scalar(first)}});
  onnxc::Tensor y = *outputs.find("y");
  CHECK(y.shape() == onnxc::Shape{2, 3} && !(y.shape() == onnxc::Shape{3, 2}));
  CHECK(y.size() == 6 && !std::strcmp(y.name(), "y"));
  CHECK(y.data_if<float>()[5] == 36 && y.data_if<double>().empty());
  CHECK(!outputs.find("x") && outputs.at_if(3).dtype() == ONNXC_UNDEFINED);
  // A default value that is overridden, and an output as the next input.
  const float bias[] = {0, 0, 1};
  outputs = *session.try_run(
      {{"x", y}, {"bias", {bias, {3}}}, {"i", onnxc::Tensor::scalar(first)}});
  CHECK(outputs.at_if(0).data_if<float>()[5] == 37);
  CHECK(outputs.at_if(1).data_if<float>()[0] == 11);
  // In memory of the caller, beside memory of the session.
  float row[3] = {};
  std::vector<float> rows(6);
  outputs = *session.try_run(
      {{"x", {x, {2, 3}}}, {"i", onnxc::Tensor::scalar(first)}},
      {{"row", row}, {"y", rows}});
  CHECK(row[2] == 3 && rows[5] == 36);
  CHECK(outputs.at_if(1).raw().data == row);
  // Then the session's own again, at a new place of the session.
  onnxc::Session moved = std::move(session);
  outputs =
      *moved.try_run_in_order({{x, {2, 3}}, onnxc::Tensor::scalar(first)});
  CHECK(outputs.at_if(1).raw().data != row);
  // In order, the first of them only.
  rows.assign(6, 0);
  outputs = *moved.try_run_in_order({{x, {2, 3}}, onnxc::Tensor::scalar(first)},
                                    {rows});
  CHECK(rows[0] == 11 && outputs.at_if(2).data_if<float>()[0] == 21);
#if __cplusplus >= 202002L
  std::span<const float> standard = outputs.at_if(2).data_if<float>();
  CHECK(standard.size() == 1);
#endif
}

void refuses() {
  onnxc::Session session = *onnxc::Session::open(wrapper_query);
  onnxc::Tensor i = onnxc::Tensor::scalar(first);
  const std::int64_t third = 2;
  float row[2];
  double wrong[6] = {};
  check_failure(session.try_run({{"i", i}}), ONNXC_INVALID_ARGUMENT,
                "input 'x' is not given");
  check_failure(session.try_run({{"X", {x, {2, 3}}}, {"i", i}}),
                ONNXC_INVALID_ARGUMENT, "the model has no input 'X'");
  check_failure(session.try_run({{"i", i}, {"i", i}}), ONNXC_INVALID_ARGUMENT,
                "input 'i' is given twice");
  check_failure(session.try_run({{"x", {wrong, {2, 3}}}, {"i", i}}),
                ONNXC_INVALID_INPUT,
                "input 'x': expected float [N, 3], got double [2, 3]");
  // No elements are not the default value.
  const std::vector<float> none;
  check_failure(
      session.try_run({{"x", {x, {2, 3}}}, {"i", i}, {"bias", {none, {0}}}}),
      ONNXC_INVALID_INPUT, "input 'bias': expected float [3], got float [0]");
  check_failure(session.try_run({{"x", {x, {2, 3}}}, {"i", i}}, {{"z", row}}),
                ONNXC_INVALID_ARGUMENT, "the model has no output 'z'");
  check_failure(session.try_run({{"x", {x, {2, 3}}}, {"i", i}},
                                {{"row", row}, {"row", row}}),
                ONNXC_INVALID_ARGUMENT, "output 'row' has two buffers");
  check_failure(session.try_run({{"x", {x, {2, 3}}}, {"i", i}}, {{"row", row}}),
                ONNXC_BUFFER_TOO_SMALL,
                "output 'row': expected a buffer of 12 bytes, got 8");
  CHECK(session.shape_of("row") == onnxc::Shape{3} && !session.shape_of("x"));
  double other[3];
  check_failure(
      session.try_run({{"x", {x, {2, 3}}}, {"i", i}}, {{"row", other}}),
      ONNXC_INVALID_ARGUMENT,
      "output 'row': expected a buffer of float, got double");
  check_failure(session.try_run_in_order({i, i, i, i}), ONNXC_INVALID_ARGUMENT,
                "the model has 3 inputs and 3 outputs, got 4 and 0");
  onnxc::Result<onnxc::Outputs> failed = session.try_run(
      {{"x", {x, {2, 3}}}, {"i", onnxc::Tensor::scalar(third)}});
  CHECK(failed.status() == ONNXC_RUNTIME_ERROR);
  CHECK(failed.text().find("Gather") != std::string::npos);
  // One rank more than there can be.
  const std::vector<std::int64_t> many(ONNXC_MAX_RANK + 1, 1);
  CHECK(onnxc::Shape(many).rank() == -1 && onnxc::Shape(many).size() == 0);
  CHECK(session.try_run({{"x", {x, onnxc::Shape(many)}}, {"i", i}}).status() ==
        ONNXC_INVALID_INPUT);
  // It can be used again.
  CHECK(session.try_run({{"x", {x, {2, 3}}}, {"i", i}}));
  onnxc::Result<onnxc::Session> refused =
      onnxc::Session::open(wrapper_query, onnxc::Options().cpu_level("i386"));
  CHECK(!refused && refused.text().find("i386") != std::string::npos);
  refused = onnxc::Session::open(wrapper_query, onnxc::Options().threads(-1));
  CHECK(!refused && refused.status() == ONNXC_INVALID_ARGUMENT);
}

// Fails once it has given `left` blocks.
struct Memory {
  int left = 1000;
  int blocks = 0;
  void *allocate(std::size_t bytes, std::size_t alignment) {
    if (left-- == 0)
      return nullptr;
    ++blocks;
    return std::aligned_alloc(alignment,
                              (bytes + alignment - 1) / alignment * alignment);
  }
  void release(void *memory, std::size_t) {
    --blocks;
    std::free(memory);
  }
};

// A pool that starts a thread for every third piece.
struct Pool {
  std::int64_t pieces = 0;
  template <typename Task> void operator()(std::int64_t count, Task task) {
    pieces += count;
    std::vector<std::thread> threads;
    for (std::int64_t i = 0; i < count; ++i)
      if (i % 3 == 0)
        threads.emplace_back(task, i);
      else
        task(i);
    for (std::thread &thread : threads)
      thread.join();
  }
};

void uses_callers_means() {
  std::vector<float> rows(300 * 1000, 0.5f), expected(rows.size()),
      result(rows.size());
  onnxc::Session one =
      *onnxc::Session::open(threads_query, onnxc::Options().threads(1));
  CHECK(one.try_run_in_order({{rows, {300, 1000}}}, {expected}));
  Memory memory;
  Pool pool;
  {
    onnxc::Options options;
    options.allocator(memory).parallel_for(pool, 4);
    onnxc::Session many = *onnxc::Session::open(threads_query, options);
    // The options may end before the session, and the session may be moved.
    options = onnxc::Options();
    onnxc::Session moved = std::move(many);
    CHECK(moved.try_run_in_order({{rows, {300, 1000}}}, {result}));
    CHECK(memory.blocks > 0 && pool.pieces > 3 && result == expected);
    memory.left = 0;
    onnxc::Result<onnxc::Outputs> again =
        moved.try_run_in_order({{rows, {300, 1000}}}, {result});
    CHECK(again && memory.left == 0);
    CHECK(
        onnxc::Session::open(threads_query, onnxc::Options().allocator(memory))
            .status() == ONNXC_OUT_OF_MEMORY);
  }
  CHECK(memory.blocks == 0);
}

// Outputs in memory of the session: the same in each run of the same sizes.
void allocates_once() {
  Memory memory;
  onnxc::Options options;
  options.allocator(memory).threads(1);
  onnxc::Session session = *onnxc::Session::open(wrapper_query, options);
  for (int times = 0; times < 3; ++times) {
    CHECK(
        session.try_run_in_order({{x, {2, 3}}, onnxc::Tensor::scalar(first)}));
    memory.left = 0;
  }
}

void takes_values_of_parts() {
  onnxc::Session session = *onnxc::Session::open(sequences_query);
  const float numbers[] = {1, 2, 3, 4};
  const onnxc_string words[] = {{"one"}, {"two"}};
  const onnxc_tensor parts[] = {onnxc::Tensor(numbers, {4}).raw(),
                                onnxc::Tensor(numbers, {1}).raw()};
  const onnxc_tensor text[] = {onnxc::Tensor(words, {2}).raw()};
  onnxc::Outputs outputs =
      *session.try_run({{"s", onnxc::Tensor::of_parts(ONNXC_SEQUENCE, parts)},
                        {"x", {onnxc::span<const float>(numbers, 2), {2}}},
                        {"i", onnxc::Tensor::scalar(first)},
                        {"o", onnxc::Tensor::of_parts(ONNXC_OPTIONAL, text)}});
  onnxc::Tensor twice = *outputs.find("twice");
  CHECK(twice.is_sequence() && !twice.is_map() && twice.size() == 4);
  CHECK(twice.element_at(3).data_if<float>()[1] == 2);
  CHECK(twice.element_at(4).dtype() == ONNXC_UNDEFINED);
  std::vector<std::string_view> same =
      outputs.find("same")->element_at(0).strings();
  CHECK(same.size() == 2 && same[1] == "two");
  CHECK(outputs.find("has")->data_if<bool>()[0]);
  // An optional without a value.
  outputs =
      *session.try_run_in_order({onnxc::Tensor::of_parts(ONNXC_SEQUENCE, parts),
                                 {numbers, {4}},
                                 onnxc::Tensor::scalar(first),
                                 onnxc::Tensor::of_parts(ONNXC_OPTIONAL, {})});
  CHECK(!outputs.find("has")->data_if<bool>()[0]);

  onnxc::Session maps = *onnxc::Session::open(maps_query);
  const float values[] = {3, 1};
  const onnxc_tensor map[] = {onnxc::Tensor(words, {2}).raw(),
                              onnxc::Tensor(values, {2}).raw()};
  outputs = *maps.try_run({{"m", onnxc::Tensor::of_parts(ONNXC_MAP, map)},
                           {"x", {numbers, {2, 2}}}});
  onnxc::Tensor scores = *outputs.find("scores");
  CHECK(scores.size() == 2 && scores.element_at(1).is_map());
  CHECK(scores.element_at(1).keys().data_if<std::int64_t>()[1] == 9);
  CHECK(scores.element_at(1).values().data_if<float>()[1] == 4);
  CHECK(scores.keys().dtype() == ONNXC_UNDEFINED);
}

#if ONNXC_EXCEPTIONS
template <typename Call>
void check_thrown(Call call, onnxc_status status, const std::string &text) {
  try {
    call();
    CHECK(false && "nothing was thrown");
  } catch (const onnxc::Error &error) {
    CHECK(error.status() == status && error.what() == text);
    if (error.what() != text)
      std::fprintf(stderr, "have: %s\n", error.what());
  }
}

void throws() {
  onnxc::Session session(wrapper_query);
  onnxc::Tensor i = onnxc::Tensor::scalar(first);
  onnxc::Outputs outputs = session.run({{"x", {x, {2, 3}}}, {"i", i}});
  CHECK(outputs["sum"].item<float>() == 21);
  CHECK(outputs[0].data<float>()[5] == 36);
  float sum = 0;
  for (float element : outputs["row"].data<float>())
    sum += element;
  CHECK(sum == 6);
  check_thrown([&] { outputs["sum"].data<double>(); }, ONNXC_INVALID_ARGUMENT,
               "tensor 'sum' holds float, expected double");
  check_thrown([&] { outputs["y"].item<float>(); }, ONNXC_INVALID_ARGUMENT,
               "tensor 'y' has 6 elements, expected 1");
  check_thrown([&] { outputs["z"]; }, ONNXC_INVALID_ARGUMENT,
               "the model has no output 'z'");
  check_thrown([&] { outputs[3]; }, ONNXC_INVALID_ARGUMENT,
               "output 3: the model has 3");
  check_thrown([&] { session.run({{"i", i}}); }, ONNXC_INVALID_ARGUMENT,
               "input 'x' is not given");
  check_thrown([&] { session.run_in_order({i}); }, ONNXC_INVALID_ARGUMENT,
               session.try_run_in_order({i}).text());
  check_thrown(
      [] {
        onnxc::Model model(
            [](std::uint32_t) -> const onnxc_model * { return nullptr; });
      },
      ONNXC_ABI_MISMATCH,
      "the model was compiled for another version of the interface");
  onnxc::Model model(wrapper_query);
  onnxc::Session another(model, onnxc::Options().threads(1));
  CHECK(another.run_in_order({{x, {2, 3}}, i})["sum"].item<float>() == 21);
}
#endif
} // namespace

int main() {
  describes();
  takes_elements();
  gives_outputs();
  refuses();
  uses_callers_means();
  allocates_once();
  takes_values_of_parts();
#if ONNXC_EXCEPTIONS
  throws();
#endif
  return failures != 0;
}
