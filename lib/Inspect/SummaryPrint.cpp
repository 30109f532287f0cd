//===- SummaryPrint.cpp - What is in a model, as text and as JSON ---------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Inspect/Summary.h"
#include "onnxc/Support/Table.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace onnxc;

/// More of them are only in the JSON.
static constexpr size_t maxOpenSizes = 12;

static std::string spell(StringRef domain, StringRef name) {
  return (domain.empty() ? "" : domain + ".").str() + name.str();
}

static std::string printBytes(int64_t bytes) {
  double number = static_cast<double>(bytes);
  if (bytes < 1024)
    return plural(bytes, "byte");
  if (bytes < 1024 * 1024)
    return formatv("{0:f1} KiB", number / 0x1p10);
  if (bytes < int64_t(1) << 30)
    return formatv("{0:f1} MiB", number / 0x1p20);
  return formatv("{0:f2} GiB", number / 0x1p30);
}

/// The first of them, and how many there are more.
static std::string list(ArrayRef<std::string> texts) {
  constexpr size_t most = 6;
  std::string text = join(texts.take_front(most), ", ");
  if (texts.size() > most)
    text += " and " + std::to_string(texts.size() - most) + " more";
  return text;
}

/// "float[batch, 3, 224, 224]".
static std::string describe(const ModelSummary::Value &value) {
  StringRef type = value.type;
  if (type.consume_front("tensor(") && type.consume_back(")"))
    return type.str() +
           (value.shape ? "[" + join(*value.shape, ", ") + "]" : "[...]");
  return value.type;
}

static void printValues(StringRef title, ArrayRef<ModelSummary::Value> values,
                        raw_ostream &os) {
  if (values.empty())
    return;
  os << "\n" << title << "\n";
  std::vector<std::vector<std::string>> rows;
  for (const ModelSummary::Value &value : values)
    rows.push_back({value.name, describe(value)});
  printTable(rows, os);
}

static void printTotals(StringRef title,
                        const std::map<std::string, TensorTotal> &totals,
                        raw_ostream &os) {
  if (totals.empty())
    return;
  TensorTotal sum;
  for (const auto &[type, total] : totals)
    sum.add(total);
  os << "\n"
     << title << ": " << printRounded(static_cast<double>(sum.elements)) << " ("
     << sum.elements << ") in " << plural(sum.tensors, "tensor") << ", "
     << printBytes(sum.bytes) << "\n";
  std::vector<std::vector<std::string>> rows;
  for (const auto &[type, total] : totals)
    rows.push_back({type, std::to_string(total.elements),
                    plural(total.tensors, "tensor"), printBytes(total.bytes)});
  printTable(rows, os);
}

/// The greatest number first; then those that depend on sizes.
static std::vector<std::pair<std::string, Cost>>
sortCosts(const ModelSummary::OpCosts &costs) {
  std::vector<std::pair<std::string, Cost>> sorted(costs.begin(), costs.end());
  auto weigh = [](const Cost &cost) {
    return cost.flops.estimate(/*symbols=*/64);
  };
  sort(sorted, [&](const auto &a, const auto &b) {
    double x = weigh(a.second), y = weigh(b.second);
    return x != y ? x > y : a.first < b.first;
  });
  return sorted;
}

static void printCosts(const ModelSummary &summary, raw_ostream &os) {
  os << "\narithmetic of a run: " << summary.cost.macs.printRounded()
     << " MACs, " << summary.cost.flops.printRounded() << " FLOPs\n";
  std::vector<std::vector<std::string>> rows = {
      {"operator", "nodes", "MACs", "FLOPs"}};
  for (const auto &[name, cost] : sortCosts(summary.opCosts)) {
    std::optional<int64_t> flops = cost.flops.getNumber();
    bool isUncounted = cost.uncounted == cost.nodes;
    if (!isUncounted && flops == 0)
      continue;
    rows.push_back({name, std::to_string(cost.nodes),
                    isUncounted ? "not counted" : cost.macs.printRounded(),
                    isUncounted ? "not counted" : cost.flops.printRounded()});
  }
  if (rows.size() > 1)
    printTable(rows, os);
  if (summary.openSizes.empty())
    return;
  os << "  where\n";
  for (const OpenSize &size :
       ArrayRef(summary.openSizes).take_front(maxOpenSizes))
    os << "    " << size.symbol << " is " << size.where << "\n";
  if (summary.openSizes.size() > maxOpenSizes)
    os << "    ... and " << summary.openSizes.size() - maxOpenSizes
       << " more (--json has them)\n";
}

static void printHeader(const ModelSummary &summary, raw_ostream &os) {
  std::vector<std::vector<std::string>> rows;
  auto row = [&](StringRef title, std::string text) {
    if (!text.empty())
      rows.push_back({title.str(), std::move(text)});
  };
  row("graph", summary.graphName);
  row("producer", summary.producer + (summary.producerVersion.empty()
                                          ? ""
                                          : " " + summary.producerVersion));
  row("domain", summary.domain);
  row("model version",
      summary.modelVersion ? std::to_string(*summary.modelVersion) : "");
  row("IR version", std::to_string(summary.irVersion));
  std::vector<std::string> opsets;
  for (const auto &[domain, version] : summary.opsets)
    opsets.push_back(domain + " " + std::to_string(version));
  row("opsets", join(opsets, ", "));
  row("description", StringRef(summary.doc).split('\n').first.str());
  os << summary.path << "\n";
  printTable(rows, os);
}

static void printOperators(const ModelSummary &summary, raw_ostream &os) {
  os << "\nnodes: " << summary.numNodes << " of "
     << plural(summary.operators.size(), "operator") << "\n";
  using Entry =
      std::pair<std::pair<std::string, std::string>, ModelSummary::OpCount>;
  std::vector<Entry> sorted(summary.operators.begin(), summary.operators.end());
  sort(sorted, [](const Entry &a, const Entry &b) {
    return a.second.count != b.second.count ? a.second.count > b.second.count
                                            : a.first < b.first;
  });
  std::vector<std::vector<std::string>> rows;
  for (const auto &[op, count] : sorted) {
    std::string where;
    if (count.inSubgraphs)
      where = std::to_string(count.inSubgraphs) + " in subgraphs";
    if (count.inFunctions)
      where += (where.empty() ? "" : ", ") + std::to_string(count.inFunctions) +
               " in functions";
    rows.push_back(
        {std::to_string(count.count), spell(op.first, op.second), where});
  }
  if (!rows.empty())
    printTable(rows, os);
}

static void printRest(const ModelSummary &summary, raw_ostream &os) {
  if (!summary.functions.empty()) {
    os << "\nfunctions\n";
    std::vector<std::vector<std::string>> rows;
    for (const ModelSummary::Function &function : summary.functions)
      rows.push_back(
          {spell(function.domain, function.name) +
               (function.overload.empty() ? ""
                                          : " (" + function.overload + ")"),
           function.calls ? plural(function.calls, "call") : "not called",
           function.calls ? plural(function.nodes, "node") : ""});
    printTable(rows, os);
  }
  if (!summary.dims.empty()) {
    os << "\nnamed sizes (--dim gives them a number)\n";
    std::vector<std::vector<std::string>> rows;
    for (const auto &[name, places] : summary.dims)
      rows.push_back({name, list(places)});
    printTable(rows, os);
  }
  if (!summary.quantized.empty() || summary.quantizationAnnotations) {
    os << "\nquantization\n";
    std::vector<std::vector<std::string>> rows;
    for (const auto &[name, count] : summary.quantized)
      rows.push_back({name, std::to_string(count)});
    if (summary.quantizationAnnotations)
      rows.push_back({"annotations of tensors",
                      std::to_string(summary.quantizationAnnotations)});
    printTable(rows, os);
  }
  if (!summary.externalFiles.empty()) {
    os << "\nexternal data\n";
    std::vector<std::vector<std::string>> rows;
    for (const auto &[path, file] : summary.externalFiles)
      rows.push_back({path, plural(file.tensors, "tensor"),
                      file.isMissing ? "missing" : ""});
    printTable(rows, os);
  }
  if (!summary.defaultedInputs.empty())
    os << "\n"
       << plural(summary.defaultedInputs.size(), "initializer")
       << (summary.defaultedInputs.size() == 1 ? " is an input, too"
                                               : " are inputs, too")
       << (summary.irVersion < 4
               ? "; below IR version 4 that makes constants of them\n"
               : "; they are defaults, which a run can override; --freeze of a "
                 "compile makes constants of them\n");
  if (!summary.metadata.empty()) {
    os << "\nmetadata\n";
    for (const auto &[key, text] : summary.metadata) {
      StringRef line = StringRef(text).split('\n').first;
      os << "  " << key << ": " << line.take_front(100)
         << (line.size() > 100 || line.size() < text.size() ? " ..." : "")
         << "\n";
    }
  }
  if (summary.trainingInfos)
    os << "\ntraining information: "
       << (summary.trainingInfos == 1
               ? "1 entry"
               : std::to_string(summary.trainingInfos) + " entries")
       << "; kept where the model is written, not compiled\n";
}

void ModelSummary::printText(raw_ostream &os) const {
  printHeader(*this, os);
  printValues("inputs", inputs, os);
  printValues("outputs", outputs, os);
  printOperators(*this, os);
  printTotals("parameters", parameters, os);
  printTotals("numbers in Constant nodes", constants, os);
  if (fault.empty())
    printCosts(*this, os);
  else
    os << "\narithmetic of a run: not counted, since shapes are not known: "
       << fault << "\n";
  printRest(*this, os);
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

namespace {

/// Writes what has the same form in several places.
struct JsonWriter {
  json::OStream &out;

  void text(StringRef name, StringRef value) {
    out.attribute(name, json::fixUTF8(value));
  }

  /// A number, or null; and how it follows from open sizes.
  void size(StringRef name, const Size &size) {
    std::optional<int64_t> number = size.getNumber();
    out.attribute(name, number ? json::Value(*number) : json::Value(nullptr));
    text((name + "_formula").str(), size.print());
  }

  void cost(const Cost &cost) {
    out.attribute("nodes", cost.nodes);
    size("macs", cost.macs);
    size("flops", cost.flops);
    out.attribute("uncounted_nodes", cost.uncounted);
  }

  void values(StringRef name, ArrayRef<ModelSummary::Value> values) {
    out.attributeArray(name, [&] {
      for (const ModelSummary::Value &value : values)
        out.object([&] {
          text("name", value.name);
          text("type", value.type);
          if (!value.shape)
            return out.attribute("shape", nullptr);
          out.attributeArray("shape", [&] {
            for (const std::string &size : *value.shape) {
              int64_t number;
              if (StringRef(size).getAsInteger(10, number))
                out.value(json::fixUTF8(size));
              else
                out.value(number);
            }
          });
        });
    });
  }

  void totals(StringRef name,
              const std::map<std::string, TensorTotal> &totals) {
    TensorTotal sum;
    for (const auto &[type, total] : totals)
      sum.add(total);
    auto write = [&](const TensorTotal &total) {
      out.attribute("tensors", total.tensors);
      out.attribute("elements", total.elements);
      out.attribute("bytes", total.bytes);
    };
    out.attributeObject(name, [&] {
      write(sum);
      out.attributeObject("by_type", [&] {
        for (const auto &[type, total] : totals)
          out.attributeObject(type, [&, &total = total] { write(total); });
      });
    });
  }

  void model(const ModelSummary &summary);
  void operators(const ModelSummary &summary);
  void externalFiles(const ModelSummary &summary);
  void costs(const ModelSummary &summary);
  void dims(const ModelSummary &summary);
  void functions(const ModelSummary &summary);
  void quantization(const ModelSummary &summary);
  void metadata(const ModelSummary &summary);
};

/// The fields of ModelProto.
void JsonWriter::model(const ModelSummary &summary) {
  text("model", summary.path);
  text("graph", summary.graphName);
  out.attribute("ir_version", summary.irVersion);
  text("producer", summary.producer);
  text("producer_version", summary.producerVersion);
  text("domain", summary.domain);
  out.attribute("model_version", summary.modelVersion
                                     ? json::Value(*summary.modelVersion)
                                     : json::Value(nullptr));
  text("doc", summary.doc);
  out.attributeObject("opsets", [&] {
    for (const auto &[name, version] : summary.opsets)
      out.attribute(json::fixUTF8(name), version);
  });
}

void JsonWriter::operators(const ModelSummary &summary) {
  out.attributeArray("operators", [&] {
    for (const auto &[op, count] : summary.operators)
      out.object([&, &op = op, &count = count] {
        text("op", op.second);
        text("domain", op.first);
        out.attribute("count", count.count);
        out.attribute("in_subgraphs", count.inSubgraphs);
        out.attribute("in_functions", count.inFunctions);
      });
  });
}

void JsonWriter::externalFiles(const ModelSummary &summary) {
  out.attributeArray("external_data", [&] {
    for (const auto &[file, uses] : summary.externalFiles)
      out.object([&, &file = file, &uses = uses] {
        text("file", file);
        out.attribute("tensors", uses.tensors);
        out.attribute("missing", uses.isMissing);
      });
  });
}

void JsonWriter::costs(const ModelSummary &summary) {
  text("cost_fault", summary.fault);
  out.attributeObject("cost", [&] {
    cost(summary.cost);
    out.attributeObject("by_op", [&] {
      for (const auto &[name, one] : summary.opCosts)
        out.attributeObject(json::fixUTF8(name),
                            [&, &one = one] { cost(one); });
    });
    out.attributeObject("open_sizes", [&] {
      for (const OpenSize &size : summary.openSizes)
        text(size.symbol, size.where);
    });
  });
}

void JsonWriter::dims(const ModelSummary &summary) {
  out.attributeObject("dims", [&] {
    for (const auto &[name, places] : summary.dims)
      out.attributeArray(json::fixUTF8(name), [&, &places = places] {
        for (const std::string &place : places)
          out.value(json::fixUTF8(place));
      });
  });
}

void JsonWriter::functions(const ModelSummary &summary) {
  out.attributeArray("functions", [&] {
    for (const ModelSummary::Function &function : summary.functions)
      out.object([&] {
        text("name", function.name);
        text("domain", function.domain);
        text("overload", function.overload);
        out.attribute("calls", function.calls);
        out.attribute("nodes", function.calls ? json::Value(function.nodes)
                                              : json::Value(nullptr));
      });
  });
}

void JsonWriter::quantization(const ModelSummary &summary) {
  out.attributeObject("quantization", [&] {
    out.attributeObject("nodes", [&] {
      for (const auto &[name, count] : summary.quantized)
        out.attribute(json::fixUTF8(name), count);
    });
    out.attribute("annotations", summary.quantizationAnnotations);
  });
}

void JsonWriter::metadata(const ModelSummary &summary) {
  out.attributeArray("metadata", [&] {
    for (const auto &[key, value] : summary.metadata)
      out.array([&, &key = key, &value = value] {
        out.value(json::fixUTF8(key));
        out.value(json::fixUTF8(value));
      });
  });
}

} // namespace

void ModelSummary::printJson(raw_ostream &os) const {
  json::OStream out(os, 2);
  JsonWriter writer{out};
  out.object([&] {
    out.attribute("schema", "onnxc-inspect-1");
    writer.model(*this);
    writer.values("inputs", inputs);
    writer.values("outputs", outputs);
    out.attributeArray("initializers_as_inputs", [&] {
      for (const std::string &name : defaultedInputs)
        out.value(json::fixUTF8(name));
    });
    out.attribute("nodes", numNodes);
    writer.operators(*this);
    writer.totals("parameters", parameters);
    writer.totals("constants", constants);
    writer.externalFiles(*this);
    writer.costs(*this);
    writer.dims(*this);
    writer.functions(*this);
    writer.quantization(*this);
    writer.metadata(*this);
    out.attribute("training_infos", trainingInfos);
  });
  os << "\n";
}
