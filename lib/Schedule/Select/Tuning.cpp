//===- Tuning.cpp - Decisions that were measured --------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "onnxc/Schedule/Tuning.h"
#include "Kernels/KernelForms.h"
#include "onnxc/Dialect/Program/ProgramAttributes.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/JSON.h"

#include <set>

using namespace mlir;
using namespace onnxc;

/// The version of the file's form.
static constexpr int64_t kVersion = 1;
static constexpr llvm::StringLiteral kVersionName = "onnxc_tuning";

/// What schedules see of a target, and the processor's name: features that
/// decide about nothing make no other target.
std::string onnxc::getTuningTarget(TargetAttr target) {
  std::string name;
  llvm::raw_string_ostream os(name);
  os << target.getCpu() << ": " << target.getRegisters() << " registers of "
     << target.getVectorBytes() << " bytes";
  // One instruction has a name for each width.
  std::set<StringRef> instructions;
  if (ArrayAttr names = target.getInstructions())
    for (auto instruction : names.getAsValueRange<StringAttr>())
      instructions.insert(instruction.split('.').first);
  for (StringRef instruction : instructions)
    os << " " << instruction;
  TargetAttr layout = target.getLayoutTarget();
  if (layout != target)
    os << "; weights for " << layout.getCpu() << ", " << layout.getVectorBytes()
       << " bytes";
  return name;
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

namespace {
/// Reads one file.
class Reader {
public:
  Reader(Location location, StringRef path) : location(location), path(path) {}

  FailureOr<DictionaryAttr> read(StringRef text, TargetAttr target);

private:
  InFlightDiagnostic complain() {
    return emitError(location) << "--tuning=" << path << ": ";
  }
  FailureOr<Attribute> readSchedule(StringRef key, const llvm::json::Value &of);

  Location location;
  StringRef path;
};
} // namespace

/// A schedule as MLIR prints it.
FailureOr<Attribute> Reader::readSchedule(StringRef key,
                                          const llvm::json::Value &of) {
  std::optional<StringRef> text = of.getAsString();
  // No schedule is so long; MLIR's parser would descend into it.
  constexpr size_t most = 1000;
  std::string reason = "expected the text of a schedule";
  kernel::ScheduleInterface schedule;
  if (text && text->size() <= most && text->starts_with("#kernel.")) {
    ScopedDiagnosticHandler listen(
        location.getContext(), [&](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
            reason = diagnostic.str();
          return success();
        });
    schedule = dyn_cast_or_null<kernel::ScheduleInterface>(
        parseAttribute(*text, location.getContext()));
  }
  if (!schedule) {
    complain() << "entry '" << key << "': " << reason;
    return failure();
  }
  return Attribute(schedule);
}

FailureOr<DictionaryAttr> Reader::read(StringRef text, TargetAttr target) {
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(text);
  if (!parsed) {
    complain() << "is not JSON: " << llvm::toString(parsed.takeError());
    return failure();
  }
  const llvm::json::Object *file = parsed->getAsObject();
  std::optional<int64_t> version =
      file ? file->getInteger(kVersionName) : std::nullopt;
  if (!version) {
    complain() << "is not a file of onnxc tune: it has no '" << kVersionName
               << "'";
    return failure();
  }
  if (*version != kVersion) {
    complain() << "has version " << *version << ", expected " << kVersion
               << "; onnxc tune makes one";
    return failure();
  }
  const llvm::json::Object *targets = file->getObject("targets");
  if (!targets) {
    complain() << "has no object 'targets'";
    return failure();
  }
  const llvm::json::Value *own = targets->get(getTuningTarget(target));
  if (!own) {
    // Of several processors in one file some may not have been tuned.
    if (target.getLayout())
      return DictionaryAttr();
    SmallVector<std::string> names;
    for (const auto &[name, decisions] : *targets)
      names.push_back(name.str());
    llvm::sort(names);
    complain() << "is for "
               << (names.empty() ? "no processor" : llvm::join(names, ", "))
               << ", and this compile is for " << getTuningTarget(target);
    return failure();
  }
  const llvm::json::Object *decisions = own->getAsObject();
  if (!decisions) {
    complain() << "'" << getTuningTarget(target) << "' is not an object";
    return failure();
  }
  SmallVector<NamedAttribute> entries;
  for (const auto &[key, value] : *decisions) {
    FailureOr<Attribute> schedule = readSchedule(key, value);
    if (failed(schedule))
      return failure();
    entries.emplace_back(StringAttr::get(location.getContext(), key.str()),
                         *schedule);
  }
  return DictionaryAttr::get(location.getContext(), entries);
}

FailureOr<DictionaryAttr> onnxc::parseTuning(Location location, StringRef path,
                                             StringRef text,
                                             TargetAttr target) {
  return Reader(location, path).read(text, target);
}

void onnxc::writeTuning(raw_ostream &os, StringRef machine, StringRef target,
                        DictionaryAttr decisions) {
  llvm::json::OStream out(os, 2);
  out.object([&] {
    out.attribute(kVersionName, kVersion);
    out.attribute("machine", machine);
    out.attributeObject("targets", [&] {
      out.attributeObject(target, [&] {
        // The entries of a dictionary are sorted.
        for (NamedAttribute entry : decisions) {
          std::string text;
          llvm::raw_string_ostream(text) << entry.getValue();
          out.attribute(entry.getName(), text);
        }
      });
    });
  });
  os << "\n";
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

void onnxc::visitTunable(
    Operation *module,
    function_ref<void(KernelCodegenInterface, const std::string &)> visit) {
  TargetAttr target = TargetAttr::of(module);
  module->walk([&](KernelCodegenInterface op) {
    if (!getSchedule(op))
      return;
    std::string key = op.getTuningKey(target);
    if (!key.empty())
      visit(op, key);
  });
}

kernel::ScheduleInterface onnxc::findTuned(KernelCodegenInterface op,
                                           TargetAttr target) {
  auto module = op->getParentOfType<ModuleOp>();
  auto tuning = module ? module->getAttrOfType<DictionaryAttr>(program::tuning)
                       : DictionaryAttr();
  if (!tuning)
    return {};
  std::string key = op.getTuningKey(target);
  return key.empty() ? kernel::ScheduleInterface()
                     : tuning.getAs<kernel::ScheduleInterface>(key);
}

bool onnxc::isChoice(KernelCodegenInterface op, TargetAttr target,
                     kernel::ScheduleInterface schedule, std::string &why) {
  bool isKnown = schedule == op.selectSchedule(target);
  op.visitChoices(target, [&](kernel::ScheduleInterface choice) {
    isKnown |= choice == schedule;
  });
  if (!isKnown)
    return refuse(why, "is none of the decisions that there are for it");
  // What an operand of this op was packed for decides, too.
  ScopedDiagnosticHandler listen(op->getContext(), [&](Diagnostic &diagnostic) {
    why = diagnostic.str();
    return success();
  });
  return succeeded(schedule.verifyFor(op, [&] { return op->emitError(); }));
}

static void printShape(raw_ostream &os, Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped) {
    os << type;
    return;
  }
  for (int64_t size : shaped.getShape()) {
    if (ShapedType::isDynamic(size))
      os << "?";
    else
      os << size;
    os << "x";
  }
  os << shaped.getElementType();
}

/// Numbers, and names of what is set; nothing of other attributes.
static void printAttribute(raw_ostream &os, StringRef name, Attribute value) {
  if (auto numbers = dyn_cast<DenseI64ArrayAttr>(value)) {
    os << " " << name << "=";
    llvm::interleave(numbers.asArrayRef(), os, ",");
  } else if (auto number = dyn_cast<IntegerAttr>(value)) {
    os << " " << name << "=" << number.getInt();
  } else if (isa<UnitAttr>(value)) {
    os << " " << name;
  }
}

std::string onnxc::makeTuningKey(kernel::KernelOpInterface op) {
  std::string key;
  llvm::raw_string_ostream os(key);
  os << op->getName().stripDialect();
  // Before the extras, which the first of them, or else the destination, ends.
  unsigned end = op.getExtras().empty() ? op.getInitMutable().getOperandNumber()
                                        : op.getExtras().getBeginOperandIndex();
  for (Value operand : op->getOperands().take_front(end)) {
    os << " ";
    printShape(os, operand.getType());
  }
  os << " to ";
  printShape(os, op.getInitMutable().get().getType());
  // A fact about the weights that decides between schedules is part of the
  // key by what is decided: layers of one shape share an entry.
  StringAttr fact;
  if (auto dot = dyn_cast<kernel::IntegerDotOp>(op.getOperation()))
    fact = dot.getLargestSumAttrName();
  for (StringAttr name : op->getRegisteredInfo()->getAttributeNames())
    if (Attribute value = op->getInherentAttr(name).value_or(Attribute()))
      if (name != fact)
        printAttribute(os, name, value);
  return key;
}

SmallVector<int64_t> onnxc::listCounts(int64_t extent, int64_t most) {
  llvm::SmallSetVector<int64_t, 16> list;
  auto add = [&](int64_t count) {
    if (count >= 1 && count <= most)
      list.insert(count);
  };
  if (!ShapedType::isDynamic(extent) && extent > 0)
    for (int64_t parts = llvm::divideCeil(extent, most), i = 0; i < 3; ++i)
      add(llvm::divideCeil(extent, parts + i));
  for (int64_t count :
       {most, most - 1, most - 2, most - 4, most / 2, int64_t(14), int64_t(7)})
    add(count);
  return list.takeVector();
}
