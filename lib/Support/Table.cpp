//===- Table.cpp - Tables as text -----------------------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Support/Table.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Unicode.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

/// Columns on a terminal.
static size_t getWidth(StringRef text) {
  int width = sys::unicode::columnWidthUTF8(text);
  return width < 0 ? text.size() : static_cast<size_t>(width);
}

void onnxc::printTable(ArrayRef<std::vector<std::string>> rows,
                       raw_ostream &os) {
  std::vector<size_t> widths(rows.front().size());
  std::vector<bool> areNumbers(widths.size(), true);
  for (const auto &row : rows)
    for (auto [i, cell] : enumerate(row)) {
      widths[i] = std::max(widths[i], getWidth(cell));
      areNumbers[i] = areNumbers[i] && (&row == rows.begin() || cell.empty() ||
                                        cell == "-" || isDigit(cell.front()));
    }
  for (const auto &row : rows) {
    std::string line = " ";
    for (auto [i, cell] : enumerate(row)) {
      std::string space(widths[i] - getWidth(cell), ' ');
      line += " " + (areNumbers[i] ? space + cell : cell + space) + " ";
    }
    os << StringRef(line).rtrim() << "\n";
  }
}

std::string onnxc::plural(uint64_t count, StringRef what) {
  return (Twine(count) + " " + what + (count == 1 ? "" : "s")).str();
}
