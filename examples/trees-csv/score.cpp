//===- score.cpp - A tree model on the rows of a table --------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// score TABLE.csv [COLUMN...]
//
// The first row of the table names its columns; those that are given (all, if
// none is) are the features, in this order. Prints what the model says to each
// row. The table is read in blocks: it may be larger than the memory.
//
// For models with one input [rows, features] of floats, as skl2onnx and
// onnxmltools write them with zipmap=False.
//
//===----------------------------------------------------------------------===//

#include "trees.h" // written by: onnxc model.onnx -o trees.a
#include <onnxc/onnxc.hpp>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <limits>
#include <sstream>
#include <stdexcept>

namespace {
constexpr std::size_t rows_of_block = 4096;

std::vector<std::string> split(const std::string &line) {
  std::vector<std::string> cells;
  std::stringstream stream(line);
  for (std::string cell; std::getline(stream, cell, ',');)
    cells.push_back(cell);
  if (!cells.empty() && !cells.back().empty() && cells.back().back() == '\r')
    cells.back().pop_back();
  return cells;
}

class Table {
public:
  Table(const std::string &path, std::vector<std::string> wanted)
      : path(path), file(path) {
    std::string header;
    if (!std::getline(file, header))
      throw std::runtime_error(path + ": cannot be read, or is empty");
    names = split(header);
    if (wanted.empty())
      wanted = names;
    for (const std::string &name : wanted) {
      auto found = std::find(names.begin(), names.end(), name);
      if (found == names.end())
        throw std::runtime_error(path + ": has no column '" + name + "'");
      columns.push_back(static_cast<std::size_t>(found - names.begin()));
    }
  }

  std::size_t width() const { return columns.size(); }

  // The features of the next rows, as many as a block has at most.
  std::size_t read(std::vector<float> &features) {
    features.clear();
    std::size_t rows = 0;
    for (std::string text; rows < rows_of_block && std::getline(file, text);) {
      ++line;
      std::vector<std::string> cells = split(text);
      if (cells.size() != names.size())
        throw std::runtime_error(place() + std::to_string(cells.size()) +
                                 " cells, expected " +
                                 std::to_string(names.size()));
      for (std::size_t column : columns)
        features.push_back(number(cells[column], names[column]));
      ++rows;
    }
    return rows;
  }

private:
  std::string place() const { return path + ":" + std::to_string(line) + ": "; }

  // Trees know what to do with what is missing: NaN.
  float number(const std::string &cell, const std::string &name) const {
    if (cell.empty())
      return std::numeric_limits<float>::quiet_NaN();
    std::size_t used = 0;
    float value = 0;
    try {
      value = std::stof(cell, &used);
    } catch (const std::exception &) {
      used = 0;
    }
    if (used != cell.size())
      throw std::runtime_error(place() + "column '" + name + "': '" + cell +
                               "' is not a number");
    return value;
  }

  std::string path;
  std::ifstream file;
  std::vector<std::string> names;
  std::vector<std::size_t> columns;
  std::size_t line = 1;
};

// One row of an output: a label, or a score for each class.
void print(const onnxc::Tensor &output, std::size_t row, std::size_t rows) {
  std::size_t width = rows ? output.size() / rows : 0;
  for (std::size_t i = row * width; i < (row + 1) * width; ++i)
    if (output.holds<float>())
      std::printf(",%.6g", static_cast<double>(output.data<float>()[i]));
    else if (output.holds<std::int64_t>())
      std::printf(",%lld",
                  static_cast<long long>(output.data<std::int64_t>()[i]));
    else if (output.holds<onnxc_string>())
      std::printf(",%s", output.data<onnxc_string>()[i].text);
    else
      throw std::runtime_error(
          "output '" + std::string(output.name()) +
          "' is not a tensor; export the model with zipmap=False");
}
} // namespace

int main(int argc, char **argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: score TABLE.csv [COLUMN...]\n");
    return 1;
  }
  try {
    Table table(argv[1], std::vector<std::string>(argv + 2, argv + argc));
    onnxc::Session session(trees_query);
    std::vector<float> features;
    std::size_t number = 0;
    while (std::size_t rows = table.read(features)) {
      onnxc::Outputs outputs =
          session.run_in_order({{features,
                                 {static_cast<std::int64_t>(rows),
                                  static_cast<std::int64_t>(table.width())}}});
      for (std::size_t row = 0; row < rows; ++row) {
        std::printf("%zu", ++number);
        for (std::size_t i = 0; i < outputs.size(); ++i)
          print(outputs[i], row, rows);
        std::printf("\n");
      }
    }
    return 0;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "score: %s\n", error.what());
    return 1;
  }
}
