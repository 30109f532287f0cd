//===- onnxc/onnxc.hpp - Calling a compiled ONNX model ----------*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// onnxc/runtime.h for C++17 and newer: contexts that end by themselves, tensors
// with names, elements as spans, and failures as exceptions. Nothing to link.
//
//   #include "mnist.h"           // written by: onnxc mnist.onnx -o mnist.so
//   #include <onnxc/onnxc.hpp>
//
//   onnxc::Session session(mnist_query);
//   std::vector<float> image(784);
//   auto outputs = session.run({{"image", {image, {1, 1, 28, 28}}}});
//   for (float score : outputs["scores"].data<float>()) ...
//
// Every call that can fail has two forms: `run` throws an onnxc::Error,
// `try_run` returns an onnxc::Result, which has either the value or the status
// and the text. Those that throw do not exist under -fno-exceptions. (Both may
// allocate memory by the C++ library, which throws std::bad_alloc or ends the
// program.)
//
// Memory: inputs are only read, where they are. Outputs are views of memory of
// the session, valid until its next run or its end; they may be inputs of the
// very next run. After the first run with the same sizes nothing is allocated.
//
// Threads: a Model is shared, a Session belongs to one thread at a time.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_ONNXC_HPP
#define ONNXC_ONNXC_HPP

#include "onnxc/runtime.h"

#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#if defined(__cpp_exceptions) || defined(_CPPUNWIND)
#define ONNXC_EXCEPTIONS 1
#include <stdexcept>
#else
#define ONNXC_EXCEPTIONS 0
#endif

#if __cplusplus >= 202002L && __has_include(<ranges>)
#include <ranges>
#endif

namespace onnxc {

//===--- Elements ---------------------------------------------------------===//

// Elements in a row that something else owns; a part of C++20's std::span.
template <typename T> class span {
  template <typename Container>
  using if_elements = std::enable_if_t<std::is_convertible_v<
      std::remove_pointer_t<decltype(std::declval<Container &>().data())> (*)[],
      T (*)[]>>;

public:
  using element_type = T;
  using value_type = std::remove_cv_t<T>;

  constexpr span() noexcept = default;
  constexpr span(T *data, std::size_t size) noexcept
      : data_(data), size_(size) {}
  template <std::size_t N>
  constexpr span(T (&array)[N]) noexcept : data_(array), size_(N) {}
  // std::vector, std::array, std::string, std::span, span<T> as span<const T>.
  template <typename Container, typename = if_elements<Container>>
  constexpr span(Container &container) noexcept
      : data_(container.data()), size_(container.size()) {}
  template <typename Container, typename = if_elements<const Container>>
  constexpr span(const Container &container) noexcept
      : data_(container.data()), size_(container.size()) {}

// The list lives until the call that it is an argument of has ended.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winit-list-lifetime"
#endif
  template <typename U = T, typename = std::enable_if_t<std::is_const_v<U>>>
  constexpr span(std::initializer_list<value_type> list) noexcept
      : data_(list.begin()), size_(list.size()) {}
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

  constexpr T *data() const noexcept { return data_; }
  constexpr std::size_t size() const noexcept { return size_; }
  constexpr bool empty() const noexcept { return size_ == 0; }
  constexpr T *begin() const noexcept { return data_; }
  constexpr T *end() const noexcept { return data_ + size_; }
  constexpr T &operator[](std::size_t index) const { return data_[index]; }

private:
  T *data_ = nullptr;
  std::size_t size_ = 0;
};

// Elements that C++17 has no type for: their bits.
enum class float16 : std::uint16_t {};
enum class bfloat16 : std::uint16_t {};

namespace detail {
// Where a tensor without elements is: NULL would be its default value.
alignas(64) inline constexpr char no_elements[64] = {};

template <typename T> constexpr onnxc_dtype integer_dtype() {
  constexpr onnxc_dtype of_signs[][2] = {{ONNXC_UINT8, ONNXC_INT8},
                                         {ONNXC_UINT16, ONNXC_INT16},
                                         {ONNXC_UINT32, ONNXC_INT32},
                                         {ONNXC_UINT64, ONNXC_INT64}};
  constexpr int log = sizeof(T) == 1   ? 0
                      : sizeof(T) == 2 ? 1
                                       : sizeof(T) / 4 + 1;
  return of_signs[log][std::is_signed_v<T>];
}
} // namespace detail

// element<T>::dtype is the element type of tensors whose elements are T in
// memory. Specialize it for types of your own, such as _Float16. Characters are
// none: which of uint8 and int8 is meant, only a cast can say.
template <typename T, typename = void> struct element {};
template <typename T>
struct element<
    T, std::enable_if_t<
           std::is_integral_v<T> && !std::is_same_v<T, bool> &&
           !std::is_same_v<T, char> && !std::is_same_v<T, wchar_t> &&
           !std::is_same_v<T, char16_t> && !std::is_same_v<T, char32_t>>> {
  static constexpr onnxc_dtype dtype = detail::integer_dtype<T>();
};
#define ONNXC_ELEMENT(TYPE, DTYPE)                                             \
  template <> struct element<TYPE> {                                           \
    static constexpr onnxc_dtype dtype = DTYPE;                                \
  }
static_assert(sizeof(bool) == 1, "a bool of ONNX is a byte");
ONNXC_ELEMENT(bool, ONNXC_BOOL);
ONNXC_ELEMENT(float, ONNXC_FLOAT);
ONNXC_ELEMENT(double, ONNXC_DOUBLE);
ONNXC_ELEMENT(float16, ONNXC_FLOAT16);
ONNXC_ELEMENT(bfloat16, ONNXC_BFLOAT16);
ONNXC_ELEMENT(std::complex<float>, ONNXC_COMPLEX64);
ONNXC_ELEMENT(std::complex<double>, ONNXC_COMPLEX128);
ONNXC_ELEMENT(onnxc_string, ONNXC_STRING);
#undef ONNXC_ELEMENT

template <typename T>
inline constexpr onnxc_dtype dtype_of = element<std::remove_cv_t<T>>::dtype;

//===--- Failures ---------------------------------------------------------===//

// What went wrong: a status of runtime.h, and the text of the library.
struct Failure {
  onnxc_status status = ONNXC_OK;
  std::string text;

  static Failure invalid(std::string text) {
    return {ONNXC_INVALID_ARGUMENT, std::move(text)};
  }
};

#if ONNXC_EXCEPTIONS
class Error : public std::runtime_error {
public:
  explicit Error(const Failure &failure)
      : std::runtime_error(failure.text), status_(failure.status) {}
  onnxc_status status() const noexcept { return status_; }

private:
  onnxc_status status_;
};
#endif

// A value, or why there is none.
template <typename T> class Result {
public:
  Result(T value) : value_(std::move(value)) {}
  Result(Failure failure) : failure_(std::move(failure)) {}

  explicit operator bool() const noexcept { return value_.has_value(); }
  onnxc_status status() const noexcept { return failure_.status; }
  // "" if there is a value.
  const std::string &text() const noexcept { return failure_.text; }
  const Failure &failure() const noexcept { return failure_; }

  // Only if there is a value.
  T &operator*() & { return *value_; }
  const T &operator*() const & { return *value_; }
  T &&operator*() && { return std::move(*value_); }
  T *operator->() { return &*value_; }
  const T *operator->() const { return &*value_; }

#if ONNXC_EXCEPTIONS
  // The value; throws if there is none.
  T value() && {
    if (!value_)
      throw Error(failure_);
    return std::move(*value_);
  }
  const T &value() const & {
    if (!value_)
      throw Error(failure_);
    return *value_;
  }
#endif

private:
  std::optional<T> value_;
  Failure failure_;
};

//===--- Tensors ----------------------------------------------------------===//

// The sizes of a tensor. One of too many dimensions is one that every model
// refuses.
class Shape {
public:
  Shape() noexcept = default;
  Shape(std::initializer_list<std::int64_t> dims) noexcept
      : Shape(dims.begin(), dims.size()) {}
  Shape(span<const std::int64_t> dims) noexcept
      : Shape(dims.data(), dims.size()) {}
  Shape(const std::int64_t *dims, std::size_t rank) noexcept
      : rank_(rank <= ONNXC_MAX_RANK ? static_cast<int>(rank) : -1) {
    for (int i = 0; i < rank_; ++i)
      dims_[i] = dims[i];
  }

  // -1 if there are too many dimensions.
  int rank() const noexcept { return rank_; }
  std::int64_t operator[](std::size_t index) const { return dims_[index]; }
  const std::int64_t *data() const noexcept { return dims_; }
  std::size_t size() const noexcept {
    return rank_ < 0 ? 0 : static_cast<std::size_t>(rank_);
  }
  const std::int64_t *begin() const noexcept { return dims_; }
  const std::int64_t *end() const noexcept { return dims_ + size(); }
  friend bool operator==(const Shape &a, const Shape &b) noexcept {
    bool same = a.rank_ == b.rank_;
    for (std::size_t i = 0; same && i < a.size(); ++i)
      same = a.dims_[i] == b.dims_[i];
    return same;
  }

private:
  int rank_ = 0;
  std::int64_t dims_[ONNXC_MAX_RANK] = {};
};

// A view of a tensor that something else owns: elements of the caller as an
// input, or an output in memory of a session. What is not a tensor is one, too:
// a sequence and an optional have elements, and a map has keys() and values().
class Tensor {
public:
  // No tensor; as an input, one whose default value is taken.
  Tensor() noexcept : raw_(onnxc_output_buffer(nullptr, 0)) {}
  explicit Tensor(const onnxc_tensor &raw, const char *name = "") noexcept
      : raw_(raw), name_(name) {}

  // `elements` as a tensor of these sizes. More of them than sizes say are
  // allowed; with fewer, the run fails.
  template <typename T, onnxc_dtype = dtype_of<T>>
  Tensor(span<T> elements, const Shape &shape) noexcept
      : raw_(onnxc_tensor_of(elements.data()
                                 ? static_cast<const void *>(elements.data())
                                 : detail::no_elements,
                             elements.size() * sizeof(T), dtype_of<T>,
                             shape.rank(), shape.data())) {}
  // The same of std::vector, std::array and the like.
  template <typename Container,
            typename T = std::remove_pointer_t<
                decltype(std::declval<const Container &>().data())>,
            onnxc_dtype = dtype_of<T>>
  Tensor(const Container &elements, const Shape &shape) noexcept
      : Tensor(span<T>(elements.data(), elements.size()), shape) {}
  template <typename T, std::size_t N, onnxc_dtype = dtype_of<T>>
  Tensor(const T (&elements)[N], const Shape &shape) noexcept
      : Tensor(span<const T>(elements, N), shape) {}
  // A tensor of rank 0: one element, which must outlive the run.
  template <typename T, onnxc_dtype = dtype_of<T>>
  static Tensor scalar(const T &value) noexcept {
    return Tensor(span<const T>(&value, 1), Shape());
  }
  template <typename T> static Tensor scalar(const T &&) = delete;

  // An input that is not a tensor, of parts that must outlive the run: the
  // elements of an ONNXC_SEQUENCE, 0 or 1 of an ONNXC_OPTIONAL, the keys and
  // the values of an ONNXC_MAP.
  static Tensor of_parts(onnxc_dtype dtype,
                         span<const onnxc_tensor> parts) noexcept {
    std::int64_t count = static_cast<std::int64_t>(parts.size());
    return Tensor(
        onnxc_tensor_of(parts.data() ? static_cast<const void *>(parts.data())
                                     : detail::no_elements,
                        parts.size() * sizeof(onnxc_tensor), dtype, 1, &count));
  }

  // The name in the model; "" for tensors of the caller.
  const char *name() const noexcept { return name_; }
  onnxc_dtype dtype() const noexcept {
    return static_cast<onnxc_dtype>(raw_.dtype);
  }
  Shape shape() const noexcept {
    return Shape(raw_.dims, static_cast<std::size_t>(raw_.rank));
  }
  const onnxc_tensor &raw() const noexcept { return raw_; }
  // How many elements; of a sequence and an optional, too.
  std::size_t size() const noexcept {
    std::size_t count = raw_.rank < 0 ? 0 : 1;
    for (std::int32_t i = 0; i < raw_.rank; ++i)
      count *= static_cast<std::size_t>(raw_.dims[i]);
    return count;
  }

  template <typename T> bool holds() const noexcept {
    return raw_.dtype == dtype_of<T>;
  }
  // The elements; none if they are of another type.
  template <typename T> span<const T> data_if() const noexcept {
    if (!holds<T>())
      return {};
    return span<const T>(static_cast<const T *>(raw_.data), size());
  }
  // Of a sequence or an optional.
  bool is_sequence() const noexcept {
    return raw_.dtype == ONNXC_SEQUENCE || raw_.dtype == ONNXC_OPTIONAL;
  }
  bool is_map() const noexcept { return raw_.dtype == ONNXC_MAP; }
  // Element `index` of a sequence; no tensor if there is none.
  Tensor element_at(std::size_t index) const noexcept {
    return is_sequence() && index < size() ? part(index) : Tensor();
  }
  Tensor keys() const noexcept { return is_map() ? part(0) : Tensor(); }
  Tensor values() const noexcept { return is_map() ? part(1) : Tensor(); }
  // Of a tensor of strings; none if it holds something else.
  std::vector<std::string_view> strings() const {
    std::vector<std::string_view> texts;
    for (const onnxc_string &string : data_if<onnxc_string>())
      texts.emplace_back(string.text);
    return texts;
  }

#if ONNXC_EXCEPTIONS
  // The elements; throws if they are of another type.
  template <typename T> span<const T> data() const {
    if (!holds<T>())
      throw Error(wrong_type(dtype_of<T>));
    return data_if<T>();
  }
  // The only element; throws if there are more, or it is of another type.
  template <typename T> T item() const {
    span<const T> elements = data<T>();
    if (elements.size() != 1)
      throw Error(Failure::invalid(description() + " has " +
                                   std::to_string(elements.size()) +
                                   " elements, expected 1"));
    return elements[0];
  }
#endif

private:
  Tensor part(std::size_t index) const noexcept {
    return Tensor(static_cast<const onnxc_tensor *>(raw_.data)[index], name_);
  }
  std::string description() const {
    return *name_ ? "tensor '" + std::string(name_) + "'" : "the tensor";
  }
  Failure wrong_type(onnxc_dtype expected) const {
    return Failure::invalid(description() + " holds " +
                            onnxc_dtype_name(raw_.dtype) + ", expected " +
                            onnxc_dtype_name(expected));
  }

  onnxc_tensor raw_;
  const char *name_ = "";
};

// Memory of the caller for an output.
class Buffer {
public:
  Buffer() noexcept : raw_(onnxc_output_buffer(nullptr, 0)) {}
  template <typename T, onnxc_dtype = dtype_of<T>>
  Buffer(span<T> elements) noexcept
      : raw_(
            onnxc_output_buffer(elements.data(), elements.size() * sizeof(T))) {
    static_assert(!std::is_const_v<T>, "outputs are written to");
    raw_.dtype = dtype_of<T>;
  }
  template <typename Container,
            typename T = std::remove_pointer_t<
                decltype(std::declval<Container &>().data())>,
            onnxc_dtype = dtype_of<T>>
  Buffer(Container &elements) noexcept
      : Buffer(span<T>(elements.data(), elements.size())) {}
  template <typename T, std::size_t N, onnxc_dtype = dtype_of<T>>
  Buffer(T (&elements)[N]) noexcept : Buffer(span<T>(elements, N)) {}

  const onnxc_tensor &raw() const noexcept { return raw_; }

private:
  onnxc_tensor raw_;
};

struct NamedTensor {
  std::string_view name;
  Tensor tensor;
};

struct NamedBuffer {
  std::string_view name;
  Buffer buffer;
};

//===--- Models -----------------------------------------------------------===//

// <prefix>_query of a model's header.
using Query = const onnxc_model *(*)(std::uint32_t);

// What an input or output is.
class ValueInfo {
public:
  explicit ValueInfo(const onnxc_value_info &raw) noexcept : raw_(&raw) {}

  const char *name() const noexcept { return raw_->name; }
  // As ONNX spells it: "tensor(float)".
  const char *type() const noexcept { return raw_->type; }
  onnxc_dtype dtype() const noexcept {
    return static_cast<onnxc_dtype>(raw_->dtype);
  }
  // -1 when it is known only in a run, and for what is not a tensor.
  int rank() const noexcept { return raw_->rank; }
  // -1 where the model leaves the size open.
  span<const std::int64_t> dims() const noexcept {
    return {raw_->dims, raw_->rank < 0 ? 0 : static_cast<std::size_t>(rank())};
  }
  // The name of an open size, "" for none.
  const char *symbol(std::size_t dim) const { return raw_->symbols[dim]; }
  const onnxc_value_info &raw() const noexcept { return *raw_; }

private:
  const onnxc_value_info *raw_;
};

// A compiled model; a pointer to what lives as long as its code is loaded.
class Model {
public:
  static Result<Model> open(Query query) {
    const onnxc_model *raw = query ? query(ONNXC_ABI_VERSION) : nullptr;
    if (!raw)
      return Failure{ONNXC_ABI_MISMATCH, onnxc_status_text(ONNXC_ABI_MISMATCH)};
    return Model(raw);
  }
#if ONNXC_EXCEPTIONS
  explicit Model(Query query) : Model(open(query).value()) {}
#endif

  const onnxc_model &raw() const noexcept { return *raw_; }
  std::size_t num_inputs() const noexcept { return count(raw_->num_inputs); }
  // Inputs that a run may leave out; they follow the others.
  std::size_t num_overridable() const noexcept {
    return count(raw_->num_overridable);
  }
  std::size_t num_outputs() const noexcept { return count(raw_->num_outputs); }
  ValueInfo input(std::size_t index) const {
    return ValueInfo(raw_->inputs[index]);
  }
  ValueInfo output(std::size_t index) const {
    return ValueInfo(raw_->outputs[index]);
  }
  std::optional<std::size_t> find_input(std::string_view name) const noexcept {
    return find(raw_->inputs, num_inputs() + num_overridable(), name);
  }
  std::optional<std::size_t> find_output(std::string_view name) const noexcept {
    return find(raw_->outputs, num_outputs(), name);
  }

private:
  friend class Session;
  explicit Model(const onnxc_model *raw) noexcept : raw_(raw) {}

  static std::size_t count(std::int32_t number) noexcept {
    return static_cast<std::size_t>(number);
  }
  static std::optional<std::size_t> find(const onnxc_value_info *values,
                                         std::size_t count,
                                         std::string_view name) noexcept {
    for (std::size_t i = 0; i < count; ++i)
      if (values[i].name == name)
        return i;
    return std::nullopt;
  }

  const onnxc_model *raw_;
};

// The outputs of a run, in the model's order: views, valid until the session's
// next run or its end.
class Outputs {
public:
  Outputs(Model model, const onnxc_tensor *raw) noexcept
      : model_(model), raw_(raw) {}

  std::size_t size() const noexcept { return model_.num_outputs(); }
  // No tensor if there is no such output.
  Tensor at_if(std::size_t index) const noexcept {
    return index < size() ? Tensor(raw_[index], model_.output(index).name())
                          : Tensor();
  }
  std::optional<Tensor> find(std::string_view name) const noexcept {
    if (std::optional<std::size_t> index = model_.find_output(name))
      return at_if(*index);
    return std::nullopt;
  }

#if ONNXC_EXCEPTIONS
  Tensor operator[](std::size_t index) const {
    if (index >= size())
      throw Error(Failure::invalid("output " + std::to_string(index) +
                                   ": the model has " +
                                   std::to_string(size())));
    return at_if(index);
  }
  Tensor operator[](std::string_view name) const {
    std::optional<Tensor> output = find(name);
    if (!output)
      throw Error(Failure::invalid("the model has no output '" +
                                   std::string(name) + "'"));
    return *output;
  }
#endif

private:
  Model model_;
  const onnxc_tensor *raw_;
};

//===--- Sessions ---------------------------------------------------------===//

// What a session is to use, all of it optional. Objects that are given must
// outlive the sessions, and may be used by several threads at once, if sessions
// are.
class Options {
public:
  // How many threads work on a run; 0: all that the process may use.
  Options &threads(int number) noexcept {
    raw_.threads = number;
    return *this;
  }
  // The level of processors whose code runs; the text must outlive the call
  // that makes the session.
  Options &cpu_level(const char *name) noexcept {
    raw_.cpu_level = name;
    return *this;
  }
  // Memory comes from an object with
  //   void *allocate(std::size_t bytes, std::size_t alignment);  NULL: none
  //   void release(void *memory, std::size_t bytes);
  // which may not throw.
  template <typename Allocator> Options &allocator(Allocator &source) noexcept {
    hooks_.allocator = &source;
    raw_.allocate = [](void *user, std::size_t bytes,
                       std::size_t alignment) noexcept -> void * {
      return allocator_of<Allocator>(user).allocate(bytes, alignment);
    };
    raw_.release = [](void *user, void *memory, std::size_t bytes) noexcept {
      allocator_of<Allocator>(user).release(memory, bytes);
    };
    return *this;
  }
  // Loops are shared by pool(count, task), where task(i) is to be called once
  // for each i of 0 ... count-1, on any threads, and the call returns when all
  // are done; `threads` is how many it is likely to have. It may not throw.
  template <typename Pool>
  Options &parallel_for(Pool &pool, int threads) noexcept {
    hooks_.pool = &pool;
    raw_.threads = threads;
    raw_.parallel_for = [](void *user, std::int64_t count, onnxc_task task,
                           void *data) noexcept {
      Pool &shared = *static_cast<Pool *>(static_cast<Hooks *>(user)->pool);
      shared(count, [task, data](std::int64_t index) { task(data, index); });
    };
    return *this;
  }

private:
  friend class Session;
  friend class States;
  struct Hooks {
    void *allocator = nullptr;
    void *pool = nullptr;
  };
  template <typename Allocator> static Allocator &allocator_of(void *user) {
    return *static_cast<Allocator *>(static_cast<Hooks *>(user)->allocator);
  }

  onnxc_options raw_ = {};
  Hooks hooks_;
};

// One caller of a model, with the memory and the threads for its runs.
class Session {
public:
  static Result<Session> open(Model model, const Options &options = {}) {
    Session session(model, options, nullptr);
    char text[512] = "";
    onnxc_options raw = options.raw_;
    raw.user = session.hooks_.get();
    raw.message = text;
    raw.message_size = sizeof text;
    onnxc_context *context = nullptr;
    onnxc_status status = onnxc_create(&model.raw(), &raw, &context);
    if (status != ONNXC_OK)
      return Failure{status, *text ? text : onnxc_status_text(status)};
    session.context_.reset(context);
    return Result<Session>(std::move(session));
  }
  static Result<Session> open(Query query, const Options &options = {}) {
    Result<Model> model = Model::open(query);
    return model ? open(*model, options) : model.failure();
  }
#if ONNXC_EXCEPTIONS
  explicit Session(Query query, const Options &options = {})
      : Session(open(query, options).value()) {}
  explicit Session(Model model, const Options &options = {})
      : Session(open(model, options).value()) {}
#endif

  const Model &model() const noexcept { return model_; }
  onnxc_context *raw() const noexcept { return context_.get(); }

  // Runs the model on named inputs, in any order. `buffers` names outputs that
  // go to memory of the caller; the others go to memory of the session.
  Result<Outputs> try_run(span<const NamedTensor> inputs,
                          span<const NamedBuffer> buffers = {}) {
    clear();
    for (const NamedTensor &input : inputs)
      if (Failure failure = place(input); failure.status != ONNXC_OK)
        return failure;
    for (std::size_t i = 0; i < model_.num_inputs(); ++i)
      if (!given_[i])
        return Failure::invalid("input '" + name_of_input(i) +
                                "' is not given");
    for (const NamedBuffer &buffer : buffers)
      if (Failure failure = place(buffer); failure.status != ONNXC_OK)
        return failure;
    return call(inputs_.size());
  }
  // The same with inputs, and buffers if there are any, in the model's order.
  Result<Outputs> try_run_in_order(span<const Tensor> inputs,
                                   span<const Buffer> buffers = {}) {
    clear();
    if (inputs.size() > inputs_.size() || buffers.size() > results_.size())
      return Failure::invalid("the model has " +
                              std::to_string(inputs_.size()) + " inputs and " +
                              std::to_string(results_.size()) +
                              " outputs, got " + std::to_string(inputs.size()) +
                              " and " + std::to_string(buffers.size()));
    for (std::size_t i = 0; i < inputs.size(); ++i)
      inputs_[i] = inputs[i].raw();
    for (std::size_t i = 0; i < buffers.size(); ++i)
      bind(i, buffers[i]);
    return call(inputs.size());
  }
  // The sizes of an output of the last run; after ONNXC_BUFFER_TOO_SMALL those
  // that it needs.
  std::optional<Shape> shape_of(std::string_view output) const noexcept {
    if (std::optional<std::size_t> index = model_.find_output(output))
      return Tensor(results_[*index]).shape();
    return std::nullopt;
  }

#if ONNXC_EXCEPTIONS
  Outputs run(span<const NamedTensor> inputs,
              span<const NamedBuffer> buffers = {}) {
    return try_run(inputs, buffers).value();
  }
  Outputs run_in_order(span<const Tensor> inputs,
                       span<const Buffer> buffers = {}) {
    return try_run_in_order(inputs, buffers).value();
  }
#endif

private:
  struct Destroy {
    void operator()(onnxc_context *context) const noexcept {
      onnxc_destroy(context);
    }
  };

  friend class States;
  // A fork of `other`.
  Session(const Session &other, onnxc_context *context)
      : model_(other.model_), hooks_(other.hooks_),
        inputs_(other.inputs_.size()), given_(inputs_.size()),
        results_(other.results_.size()), bound_(results_.size()),
        context_(context) {}
  Session(Model model, const Options &options, std::nullptr_t)
      : model_(model), hooks_(new Options::Hooks(options.hooks_)),
        inputs_(model.num_inputs() + model.num_overridable()),
        given_(inputs_.size()), results_(model.num_outputs()),
        bound_(model.num_outputs()) {}

  std::string name_of_input(std::size_t index) const {
    return model_.input(index).name();
  }

  // As in front of a run that nothing was given to.
  void clear() {
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      inputs_[i] = onnxc_output_buffer(nullptr, 0);
      given_[i] = 0;
    }
    for (std::size_t i = 0; i < results_.size(); ++i) {
      // The memory of the context, which it keeps for the next run.
      results_[i] = onnxc_output_buffer(nullptr, 0);
      bound_[i] = 0;
    }
  }

  Failure place(const NamedTensor &input) {
    std::optional<std::size_t> index = model_.find_input(input.name);
    if (!index)
      return Failure::invalid("the model has no input '" +
                              std::string(input.name) + "'");
    if (given_[*index])
      return Failure::invalid("input '" + std::string(input.name) +
                              "' is given twice");
    inputs_[*index] = input.tensor.raw();
    given_[*index] = 1;
    return {};
  }

  Failure place(const NamedBuffer &buffer) {
    std::optional<std::size_t> index = model_.find_output(buffer.name);
    if (!index)
      return Failure::invalid("the model has no output '" +
                              std::string(buffer.name) + "'");
    if (bound_[*index])
      return Failure::invalid("output '" + std::string(buffer.name) +
                              "' has two buffers");
    bind(*index, buffer.buffer);
    return {};
  }

  void bind(std::size_t index, const Buffer &buffer) {
    // One without memory leaves the choice to the session.
    if (!buffer.raw().data)
      return;
    results_[index] = buffer.raw();
    bound_[index] = 1;
  }

  Result<Outputs> call(std::size_t num_inputs) {
    onnxc_status status = onnxc_run(
        context_.get(), inputs_.data(), static_cast<std::int32_t>(num_inputs),
        results_.data(), static_cast<std::int32_t>(results_.size()));
    if (status != ONNXC_OK) {
      const char *text = onnxc_error(context_.get());
      return Failure{status, *text ? text : onnxc_status_text(status)};
    }
    return Outputs(model_, results_.data());
  }

  Model model_;
  // Where the functions of options find their objects: at the same place while
  // the session is moved, and for forks of it.
  std::shared_ptr<Options::Hooks> hooks_;
  std::vector<onnxc_tensor> inputs_;
  std::vector<char> given_;
  // The outputs of the last run, and which of them have a buffer of the caller.
  std::vector<onnxc_tensor> results_;
  std::vector<char> bound_;
  // Ends before what it uses.
  std::unique_ptr<onnxc_context, Destroy> context_;
};

} // namespace onnxc

#if __cplusplus >= 202002L && defined(__cpp_lib_ranges)
// What a span points to outlives it: std::span can be made of one.
template <typename T>
inline constexpr bool std::ranges::enable_borrowed_range<onnxc::span<T>> = true;
#endif

#endif // ONNXC_ONNXC_HPP
