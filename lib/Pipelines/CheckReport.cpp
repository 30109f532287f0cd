//===- CheckReport.cpp - What a check found, as text and as JSON ----------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Pipelines/Check.h"

#include "onnxc/Support/Table.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace onnxc;

/// "Conv", "com.microsoft.Gelu".
static std::string spell(StringRef domain, StringRef opType) {
  return getPrintableName((domain.empty() ? "" : domain + ".").str() +
                          opType.str());
}

/// Why an operator as such is not supported.
static std::string getReason(const UnsupportedUse &use) {
  if (!use.reason.empty())
    return use.reason;
  if (use.version == 0)
    return "onnxc does not know the operator, and the model imports no version "
           "of its domain";
  if (use.domain.empty() || StringRef(use.domain).starts_with("ai.onnx"))
    return "there is no such operator in version " +
           std::to_string(use.version) + " of this domain";
  return "onnxc does not know the operator, and the model brings no function "
         "for it";
}

static void printFault(const CheckReport::Fault &fault, StringRef before,
                       raw_ostream &os) {
  os << before;
  if (!fault.node.empty())
    os << describeNode({fault.node, fault.opType}) << ": ";
  os << fault.message << "\n";
  for (const std::string &note : fault.notes)
    os << "    " << note << "\n";
}

void CheckReport::printText(raw_ostream &os) const {
  // Of the model itself they say nothing.
  if (!faults.empty() &&
      (isUnread || faults.front().code == FindingCode::InvalidOption)) {
    for (const Fault &fault : faults)
      printFault(fault, path + ": ", os);
    return;
  }
  if (!faults.empty()) {
    os << (isCutOff ? "at least " : "") << plural(faults.size(), "fault")
       << " of the model:\n";
    for (const Fault &fault : faults)
      printFault(fault, "  ", os);
  }
  if (!warnings.empty()) {
    os << plural(warnings.size(), "warning") << ":\n";
    for (const Fault &warning : warnings)
      printFault(warning, "  ", os);
  }
  if (!unsupported.empty()) {
    os << "not supported by this version of onnxc:\n";
    std::vector<std::vector<std::string>> rows = {
        {"operator", "nodes", "first node", "reason"}};
    for (const Unsupported &row : unsupported)
      rows.push_back(
          {spell(row.use.domain, row.use.opType), std::to_string(row.use.count),
           row.firstNode.empty() ? "-"
                                 : "'" + getPrintableName(row.firstNode) + "'",
           getReason(row.use)});
    printTable(rows, os);
  }
  os << path << ": ";
  if (isSupported())
    os << "valid, and supported: " << plural(numNodes, "node") << "\n";
  else if (isValid())
    os << "valid, but it cannot be compiled\n";
  else
    os << "not valid\n";
}

static void printFaults(StringRef name, ArrayRef<CheckReport::Fault> faults,
                        json::OStream &out) {
  out.attributeArray(name, [&] {
    for (const CheckReport::Fault &fault : faults)
      out.object([&] {
        out.attribute("stage", getStageInfo(fault.stage).name);
        out.attribute("node", json::fixUTF8(fault.node));
        out.attribute("op", json::fixUTF8(fault.opType));
        out.attribute("message", json::fixUTF8(fault.message));
        out.attributeArray("notes", [&] {
          for (const std::string &note : fault.notes)
            out.value(json::fixUTF8(note));
        });
      });
  });
}

void CheckReport::printJson(raw_ostream &os) const {
  json::OStream out(os, 2);
  out.object([&] {
    out.attribute("schema", "onnxc-check-1");
    out.attribute("model", json::fixUTF8(path));
    out.attribute("valid", isValid());
    out.attribute("supported", isSupported());
    out.attribute("nodes", numNodes);
    printFaults("faults", faults, out);
    out.attribute("more_faults", isCutOff);
    printFaults("warnings", warnings, out);
    out.attributeArray("unsupported", [&] {
      for (const Unsupported &row : unsupported)
        out.object([&] {
          out.attribute("op", json::fixUTF8(row.use.opType));
          out.attribute("domain", json::fixUTF8(row.use.domain));
          out.attribute("version", row.use.version);
          out.attribute("count", row.use.count);
          out.attribute("first_node", json::fixUTF8(row.firstNode));
          out.attribute("reason", json::fixUTF8(getReason(row.use)));
        });
    });
    out.attributeArray("op_versions", [&] {
      for (const OpVersionUse &use : opVersions)
        out.object([&] {
          out.attribute("op", json::fixUTF8(use.opType));
          out.attribute("domain", json::fixUTF8(use.domain));
          out.attribute("from", use.version);
          out.attribute("to", use.newest);
          out.attribute("count", use.count);
          out.attribute("rule", json::fixUTF8(use.rule));
        });
    });
  });
  os << "\n";
}

void onnxc::printOpVersions(ArrayRef<OpVersionUse> uses, raw_ostream &os) {
  if (uses.empty()) {
    os << "the model has no nodes\n";
    return;
  }
  std::vector<std::vector<std::string>> rows = {
      {"operator", "from", "to", "nodes", "rewritten by"}};
  for (const OpVersionUse &use : uses)
    rows.push_back({spell(use.domain, use.opType), std::to_string(use.version),
                    use.newest ? std::to_string(use.newest) : "-",
                    std::to_string(use.count),
                    use.isUnknown       ? "not known"
                    : !use.rule.empty() ? use.rule
                                        : "- (the form is the newest)"});
  printTable(rows, os);
}
