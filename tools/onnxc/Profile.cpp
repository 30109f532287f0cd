//===- Profile.cpp - What the runs of a profile add up to -----------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Profile.h"
#include "Median.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <map>

using namespace llvm;
using namespace onnxc;

/// What a person calls the main node of a region.
static std::pair<std::string, std::string>
mainNode(const onnxc_profile_region &region) {
  if (region.num_nodes)
    return {region.nodes[0].name, region.nodes[0].op};
  return {"", ""};
}

Profile::Profile(std::string title, const onnxc_profile &table,
                 std::vector<ProfiledRun> given, const onnxc_peak &peak,
                 bool least)
    : title(std::move(title)), table(table), runs(std::move(given)), peak(peak),
      least(least) {
  llvm::sort(runs, [](const ProfiledRun &a, const ProfiledRun &b) {
    return a.end - a.begin < b.end - b.begin;
  });
  // Per region, one sum for each run.
  struct Sums {
    std::vector<double> time, flops, bytes, count;
  };
  MapVector<int64_t, Sums> sums;
  for (const onnxc_profile_event &event : typicalRun().events)
    sums[event.region];
  std::vector<double> others;
  for (auto [i, run] : enumerate(runs)) {
    double inside = 0;
    for (const onnxc_profile_event &event : run.events) {
      Sums &sum = sums[event.region];
      for (auto *list : {&sum.time, &sum.flops, &sum.bytes, &sum.count})
        list->resize(runs.size());
      double time = static_cast<double>(event.end - event.begin);
      sum.time[i] += time;
      sum.flops[i] += static_cast<double>(event.flops);
      sum.bytes[i] += static_cast<double>(event.bytes);
      sum.count[i] += 1;
      inside += time;
    }
    others.push_back(static_cast<double>(run.end - run.begin) - inside);
  }
  auto typical = [&](const std::vector<double> &times) {
    return least ? *std::min_element(times.begin(), times.end())
                 : medianOf(times);
  };
  std::map<std::pair<std::string, std::string>, size_t> known;
  for (const auto &[id, sum] : sums) {
    const onnxc_profile_region &region = table.regions[id];
    auto name = mainNode(region);
    auto [place, isNew] = known.try_emplace(name, nodes.size());
    if (isNew)
      nodes.push_back({name.first, name.second, {}, {}});
    NodeCost &node = nodes[place->second];
    RegionCost cost{static_cast<int32_t>(id), typical(sum.time),
                    medianOf(sum.flops), medianOf(sum.bytes),
                    medianOf(sum.count)};
    node.regions.push_back(cost);
    node.nanoseconds += cost.nanoseconds;
    node.flops += cost.flops;
    node.bytes += cost.bytes;
    for (int32_t k = 1; k < region.num_nodes; ++k) {
      std::pair<std::string, std::string> fused = {region.nodes[k].name,
                                                   region.nodes[k].op};
      if (fused != name && !is_contained(node.fused, fused))
        node.fused.push_back(fused);
    }
    total += cost.nanoseconds;
  }
  other = typical(others);
  total += other;
}

const ProfiledRun &Profile::typicalRun() const { return runs[runs.size() / 2]; }

/// `part` of `whole` in percent, nothing where there is no whole.
static std::string percent(double part, double whole) {
  return whole > 0 ? formatv("{0:f1}%", 100 * part / whole).str() : "";
}

static std::string rate(double amount, double nanoseconds) {
  return amount > 0 && nanoseconds > 0
             ? formatv("{0:f1}", amount / nanoseconds).str()
             : "";
}

static std::string describe(const NodeCost &node) {
  if (node.op.empty())
    return "(for no node)";
  std::string text = node.name + " (" + node.op + ")";
  for (const auto &[name, op] : node.fused)
    text += " + " + name + " (" + op + ")";
  if (node.regions.size() > 1)
    text += formatv(" [{0} kernels]", node.regions.size());
  return text;
}

void Profile::printText(raw_ostream &os, size_t limit) const {
  os << formatv("{0}: {1:f1} us in a run ({4} of {2} runs, the fastest "
                "of which took {3:f1} us)\n",
                title, total / 1e3, runs.size(),
                static_cast<double>(runs.front().end - runs.front().begin) /
                    1e3,
                least ? "least times" : "medians");
  os << formatv("measured peak of one core: {0:f1} GFLOP/s ({1}), {2:f1} GB/s "
                "from L2, {3:f1} GB/s from memory\n\n",
                peak.float_gflops, peak.float_name, peak.l2_gbs,
                peak.memory_gbs);
  auto line = [&](const Twine &time, const Twine &share, const Twine &flops,
                  const Twine &ofPeak, const Twine &bytes, const Twine &node) {
    os << formatv("{0,12}{1,8}{2,9}{3,9}{4,8}  {5}\n", time.str(), share.str(),
                  flops.str(), ofPeak.str(), bytes.str(), node.str());
  };
  line("time us", "share", "GFLOP/s", "of peak", "GB/s", "node + fused with");
  std::vector<const NodeCost *> order;
  for (const NodeCost &node : nodes)
    order.push_back(&node);
  llvm::sort(order, [](const NodeCost *a, const NodeCost *b) {
    return a->nanoseconds > b->nanoseconds;
  });
  double rest = 0;
  size_t left = 0;
  for (auto [i, node] : enumerate(order)) {
    if (limit && i >= limit) {
      rest += node->nanoseconds;
      ++left;
      continue;
    }
    line(formatv("{0:f2}", node->nanoseconds / 1e3).str(),
         percent(node->nanoseconds, total),
         rate(node->flops, node->nanoseconds),
         node->flops > 0
             ? percent(node->flops / node->nanoseconds, peak.float_gflops)
             : "",
         rate(node->bytes, node->nanoseconds), describe(*node));
  }
  if (left)
    line(formatv("{0:f2}", rest / 1e3).str(), percent(rest, total), "", "", "",
         formatv("({0} more nodes; --top=0 shows all)", left).str());
  line(formatv("{0:f2}", other / 1e3).str(), percent(other, total), "", "", "",
       "(between the nodes' work)");

  MapVector<StringRef, NodeCost> byOp;
  for (const NodeCost &node : nodes) {
    NodeCost &sum = byOp[node.op];
    sum.nanoseconds += node.nanoseconds;
    sum.flops += node.flops;
    sum.bytes += node.bytes;
    sum.regions.insert(sum.regions.end(), node.regions.begin(),
                       node.regions.end());
  }
  auto sorted = byOp.takeVector();
  llvm::sort(sorted, [](const auto &a, const auto &b) {
    return a.second.nanoseconds > b.second.nanoseconds;
  });
  os << "\n";
  line("time us", "share", "GFLOP/s", "of peak", "GB/s", "operator, kernels");
  for (const auto &[op, sum] : sorted)
    line(formatv("{0:f2}", sum.nanoseconds / 1e3).str(),
         percent(sum.nanoseconds, total), rate(sum.flops, sum.nanoseconds),
         sum.flops > 0 ? percent(sum.flops / sum.nanoseconds, peak.float_gflops)
                       : "",
         rate(sum.bytes, sum.nanoseconds),
         formatv("{0}, {1}", op.empty() ? "(none)" : op, sum.regions.size())
             .str());
}

void Profile::printJson(raw_ostream &os) const {
  json::OStream out(os, 2);
  auto perSecond = [](double amount, double nanoseconds) {
    return nanoseconds > 0 ? amount / nanoseconds : 0.0;
  };
  out.object([&] {
    out.attribute("model", title);
    out.attribute("runs", runs.size());
    out.attribute("total_us", total / 1e3);
    out.attribute("other_us", other / 1e3);
    out.attributeObject("peak", [&] {
      out.attribute("gflops", peak.float_gflops);
      out.attribute("instructions", peak.float_name);
      out.attribute("l1_gbs", peak.l1_gbs);
      out.attribute("l2_gbs", peak.l2_gbs);
      out.attribute("memory_gbs", peak.memory_gbs);
    });
    out.attributeArray("nodes", [&] {
      for (const NodeCost &node : nodes)
        out.object([&] {
          out.attribute("name", node.name);
          out.attribute("op", node.op);
          out.attributeArray("fused", [&] {
            for (const auto &fused : node.fused)
              out.object([&] {
                out.attribute("name", fused.first);
                out.attribute("op", fused.second);
              });
          });
          double gflops = perSecond(node.flops, node.nanoseconds);
          out.attribute("time_us", node.nanoseconds / 1e3);
          out.attribute("share", total > 0 ? node.nanoseconds / total : 0);
          out.attribute("flops", node.flops);
          out.attribute("bytes", node.bytes);
          out.attribute("gflops", gflops);
          out.attribute("gbs", perSecond(node.bytes, node.nanoseconds));
          out.attribute("of_peak",
                        peak.float_gflops > 0 ? gflops / peak.float_gflops : 0);
          out.attributeArray("kernels", [&] {
            for (const RegionCost &cost : node.regions)
              out.object([&] {
                out.attribute("region", cost.region);
                out.attribute("kind", table.regions[cost.region].kind);
                out.attribute("time_us", cost.nanoseconds / 1e3);
                out.attribute("count", cost.count);
                out.attribute("flops", cost.flops);
                out.attribute("bytes", cost.bytes);
              });
          });
        });
    });
  });
  os << "\n";
}

void Profile::printTrace(raw_ostream &os) const {
  const ProfiledRun &run = typicalRun();
  json::OStream out(os, 0);
  auto event = [&](const Twine &name, const Twine &category, int64_t begin,
                   int64_t end, function_ref<void()> arguments) {
    out.object([&] {
      out.attribute("name", name.str());
      out.attribute("cat", category.str());
      out.attribute("ph", "X");
      out.attribute("ts", static_cast<double>(begin - run.begin) / 1e3);
      out.attribute("dur", static_cast<double>(end - begin) / 1e3);
      out.attribute("pid", 1);
      out.attribute("tid", 1);
      out.attributeObject("args", arguments);
    });
  };
  out.object([&] {
    out.attribute("displayTimeUnit", "ns");
    out.attributeArray("traceEvents", [&] {
      event(title, "run", run.begin, run.end, [] {});
      for (const onnxc_profile_event &one : run.events) {
        const onnxc_profile_region &region = table.regions[one.region];
        auto [name, op] = mainNode(region);
        event(op.empty() ? Twine(region.kind) : name + " (" + op + ")",
              op.empty() ? region.kind : op.c_str(), one.begin, one.end, [&] {
                out.attribute("kind", region.kind);
                out.attribute("flops", one.flops);
                out.attribute("bytes", one.bytes);
                for (int32_t k = 1; k < region.num_nodes; ++k)
                  out.attribute(("fused " + Twine(k)).str(),
                                (Twine(region.nodes[k].name) + " (" +
                                 region.nodes[k].op + ")")
                                    .str());
              });
      }
    });
  });
  os << "\n";
}
