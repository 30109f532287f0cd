//===- classify.cpp - What is in an image ---------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// classify [--mean=R,G,B] [--std=R,G,B] [--labels=FILE] [--top=N] IMAGE...
//
// For models with one input [n, channels, height, width] of floats and one
// output of a score for each class. An image is scaled to the model's size, its
// pixels are 0 ... 1, less the mean, divided by the deviation.
//
//===----------------------------------------------------------------------===//

#include "image.h"

#include "classifier.h" // written by: onnxc model.onnx -o classifier.a
#include <onnxc/onnxc.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <sstream>

namespace {
struct Arguments {
  std::vector<float> mean, deviation;
  std::vector<std::string> labels, images;
  std::size_t top = 5;
};

std::vector<float> parse_numbers(const std::string &text) {
  std::vector<float> numbers;
  std::stringstream stream(text);
  for (std::string number; std::getline(stream, number, ',');)
    numbers.push_back(std::stof(number));
  return numbers;
}

Arguments parse(int argc, char **argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    std::string text = argv[i];
    auto value_of = [&](const std::string &name) {
      return text.rfind(name, 0) == 0 ? text.substr(name.size()) : "";
    };
    if (std::string mean = value_of("--mean="); !mean.empty())
      arguments.mean = parse_numbers(mean);
    else if (std::string deviation = value_of("--std="); !deviation.empty())
      arguments.deviation = parse_numbers(deviation);
    else if (std::string top = value_of("--top="); !top.empty())
      arguments.top = std::stoul(top);
    else if (std::string path = value_of("--labels="); !path.empty()) {
      std::ifstream file(path);
      if (!file)
        throw std::runtime_error(path + ": cannot be read");
      for (std::string line; std::getline(file, line);)
        arguments.labels.push_back(line);
    } else
      arguments.images.push_back(text);
  }
  return arguments;
}

float value_for(const std::vector<float> &values, std::size_t channel,
                float otherwise) {
  return values.empty() ? otherwise : values[channel % values.size()];
}

// One channel of the image, scaled to width x height: each pixel is what lies
// between the four nearest ones.
void scale(const Image &image, std::size_t channel, std::size_t channels,
           std::size_t width, std::size_t height, float *result) {
  for (std::size_t y = 0; y < height; ++y)
    for (std::size_t x = 0; x < width; ++x) {
      auto position = [](std::size_t to, std::size_t sizes_to,
                         std::size_t sizes_from) {
        float exact = (static_cast<float>(to) + 0.5f) *
                          static_cast<float>(sizes_from) /
                          static_cast<float>(sizes_to) -
                      0.5f;
        return std::clamp(exact, 0.0f, static_cast<float>(sizes_from - 1));
      };
      float px = position(x, width, image.width);
      float py = position(y, height, image.height);
      std::size_t left = static_cast<std::size_t>(px);
      std::size_t above = static_cast<std::size_t>(py);
      std::size_t right = std::min(left + 1, image.width - 1);
      std::size_t below = std::min(above + 1, image.height - 1);
      float wx = px - static_cast<float>(left);
      float wy = py - static_cast<float>(above);
      auto at = [&](std::size_t column, std::size_t row) {
        return image.at(column, row, channel, channels);
      };
      *result++ =
          (1 - wy) * ((1 - wx) * at(left, above) + wx * at(right, above)) +
          wy * ((1 - wx) * at(left, below) + wx * at(right, below));
    }
}

// Scores or their logarithms as parts of 1.
std::vector<float> softmax(onnxc::span<const float> scores) {
  std::vector<float> parts(scores.begin(), scores.end());
  float greatest = *std::max_element(parts.begin(), parts.end());
  float sum = 0;
  for (float &part : parts)
    sum += part = std::exp(part - greatest);
  for (float &part : parts)
    part /= sum;
  return parts;
}

void classify(onnxc::Session &session, const Arguments &arguments,
              const std::string &path) {
  Image image = read_image(path);
  onnxc::ValueInfo input = session.model().input(0);
  if (input.rank() != 4 || input.dtype() != ONNXC_FLOAT)
    throw std::runtime_error("the model's input is " +
                             std::string(input.type()) +
                             ", expected a tensor of floats of rank 4");
  // What the model leaves open is taken from the image.
  auto size_of = [&](std::size_t dim, std::size_t otherwise) {
    std::int64_t size = input.dims()[dim];
    return size < 0 ? otherwise : static_cast<std::size_t>(size);
  };
  std::size_t channels = size_of(1, image.channels);
  std::size_t height = size_of(2, image.height);
  std::size_t width = size_of(3, image.width);
  std::vector<float> pixels(channels * height * width);
  for (std::size_t channel = 0; channel < channels; ++channel) {
    float *plane = &pixels[channel * height * width];
    scale(image, channel, channels, width, height, plane);
    for (std::size_t i = 0; i < height * width; ++i)
      plane[i] = (plane[i] - value_for(arguments.mean, channel, 0)) /
                 value_for(arguments.deviation, channel, 1);
  }
  onnxc::Shape shape = {1, static_cast<std::int64_t>(channels),
                        static_cast<std::int64_t>(height),
                        static_cast<std::int64_t>(width)};
  std::vector<float> parts =
      softmax(session.run_in_order({{pixels, shape}})[0].data<float>());

  std::vector<std::size_t> order(parts.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::size_t top = std::min(arguments.top, order.size());
  std::partial_sort(
      order.begin(), order.begin() + static_cast<long>(top), order.end(),
      [&](std::size_t a, std::size_t b) { return parts[a] > parts[b]; });
  std::printf("%s:\n", path.c_str());
  for (std::size_t i = 0; i < top; ++i) {
    std::string label = order[i] < arguments.labels.size()
                            ? arguments.labels[order[i]]
                            : "class " + std::to_string(order[i]);
    std::printf("  %5.1f %%  %s\n",
                100.0 * static_cast<double>(parts[order[i]]), label.c_str());
  }
}
} // namespace

int main(int argc, char **argv) {
  try {
    Arguments arguments = parse(argc, argv);
    if (arguments.images.empty())
      throw std::runtime_error("expected an image");
    onnxc::Session session(classifier_query);
    for (const std::string &path : arguments.images)
      classify(session, arguments, path);
    return 0;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "classify: %s\n", error.what());
    return 1;
  }
}
