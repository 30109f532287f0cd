//===- Options.td - The options of onnxc and onnx-optimize --*- tablegen -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every option that a user may give, once: its name, its values, what it does,
// which commands take it, and what it is called in Python and in the C API (C's
// names are those of the command line), or why it is not there.
// tools/ToolSupport/Arguments reads it by llvm::opt; --help and
// docs/generated/options.md are made of it; test/project/options.test compares
// it with Python and C.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_PIPELINES_OPTIONS
#define ONNXC_PIPELINES_OPTIONS

include "llvm/Option/OptParser.td"
include "llvm/TableGen/SearchableTable.td"

// The commands: onnxc, its verbs, and onnx-optimize.
def Compile : OptionVisibility;
def Check : OptionVisibility;
def Inspect : OptionVisibility;
def Run : OptionVisibility;
def Bench : OptionVisibility;
def Profile : OptionVisibility;
def Compare : OptionVisibility;
def Convert : OptionVisibility;
def Doctor : OptionVisibility;
def Tune : OptionVisibility;
def Quantize : OptionVisibility;
def Optimize : OptionVisibility;

// May be given more than once.
def Repeatable : OptionFlag;
// Each value is a list with commas; may be given more than once.
def CommaSeparated : OptionFlag;
// The value is optional.
def ValueOptional : OptionFlag;
// Only --help-all has it.
def Advanced : OptionFlag;

// The parts of --help, in their order.
def reading : OptionGroup<"1">, HelpText<"WHAT IS READ">;
def making : OptionGroup<"2">, HelpText<"WHAT IS MADE">;
def running : OptionGroup<"3">, HelpText<"HOW IT IS RUN">;
def optimizing : OptionGroup<"4">, HelpText<"HOW IT IS REWRITTEN">;
def explaining : OptionGroup<"5">, HelpText<"WHAT IS SAID">;

/// The parameter of onnxc.compile, check, inspect, InferenceSession or optimize
/// that is the option of that command.
class Python<string name> { string PythonName = name; }
/// Why there is none, of these commands.
class NoPython<list<OptionVisibility> commands, string reason> {
  list<OptionVisibility> NoPythonIn = commands;
  string WhyNotPython = reason;
}
/// Why onnxc_optimizer_set does not take the option; of onnx-optimize.
class NoC<string reason> { string WhyNotC = reason; }

/// --name=value and --name value.
multiclass Value<string name, string metaVar, string help,
                 list<OptionVisibility> commands> {
  def "" : Separate<["--", "-"], name>, MetaVarName<metaVar>, HelpText<help>,
           Visibility<commands>;
  def _EQ : Joined<["--", "-"], name # "=">, Alias<!cast<Separate>(NAME)>,
            Visibility<commands>;
}

/// A number: what it is without the option, and its bounds, included. The C++
/// code has the defaults as defaults::<name of the record>, and all of it as a
/// table (Support/OptionNumbers.h), by which the command line, Python and C
/// refuse numbers.
class Number<int default, int least, int greatest> {
  int Default = default;
  string DefaultText = !cast<string>(default);
  string Least = !cast<string>(least);
  string Greatest = !cast<string>(greatest);
}
defvar Unbounded = 0x7fffffffffffffff;
defvar MostCount = 0x7fffffff;
def OptionDefaults : GenericEnum {
  let FilterClass = "Number";
  let ValueField = "Default";
}
def OptionNumbers : GenericTable {
  let FilterClass = "Number";
  let CppTypeName = "OptionNumber";
  let Fields = ["Name", "DefaultText", "Least", "Greatest"];
  string TypeOf_DefaultText = "code";
  string TypeOf_Least = "code";
  string TypeOf_Greatest = "code";
}

/// --name=number. --help adds the default.
multiclass NumberValue<string name, string metaVar, int default, int least, int greatest,
                       string help, list<OptionVisibility> commands> {
  def "" : Separate<["--", "-"], name>, MetaVarName<metaVar>, HelpText<help>,
           Visibility<commands>, Number<default, least, greatest>;
  def _EQ : Joined<["--", "-"], name # "=">, Alias<!cast<Separate>(NAME)>,
            Visibility<commands>;
}

/// --name, and --name=false or true.
multiclass Switch<string name, string help, list<OptionVisibility> commands> {
  def "" : Flag<["--", "-"], name>, HelpText<help>, Visibility<commands>;
  def _EQ : Joined<["--", "-"], name # "=">, Alias<!cast<Flag>(NAME)>,
            Visibility<commands>;
}

/// A longer name of an option with a value.
multiclass LongForm<string name, Option option,
                    list<OptionVisibility> commands> {
  def "" : Separate<["--", "-"], name>, Alias<option>, Visibility<commands>;
  def _EQ : Joined<["--", "-"], name # "=">, Alias<option>,
            Visibility<commands>;
}

/// --name, and --name=value.
multiclass OptionalValue<string name, string metaVar, string help,
                         list<OptionVisibility> commands> {
  def "" : Flag<["--", "-"], name>, MetaVarName<metaVar>, HelpText<help>,
           Visibility<commands>;
  def _EQ : Joined<["--", "-"], name # "=">, Alias<!cast<Flag>(NAME)>,
            Visibility<commands>;
}

/// What only a command line needs.
class OnlyHere<list<OptionVisibility> commands>
    : NoPython<commands, "for people at a command line">;

defvar All = [Compile, Check, Inspect, Run, Bench, Profile, Compare, Convert, Doctor, Tune, Quantize,
              Optimize];
defvar Compilers = [Compile, Check];
defvar Runners = [Run, Bench, Profile, Compare, Tune];
defvar Timers = [Bench, Profile];
defvar Readers = [Compile, Check, Inspect];
defvar Configured = [Compile, Check, Inspect, Run, Bench, Profile, Compare, Convert, Tune, Quantize];

//===----------------------------------------------------------------------===//
// All commands
//===----------------------------------------------------------------------===//

let Group = explaining in {
def help : Flag<["--", "-"], "help">, HelpText<"Print this text, and stop">,
           Visibility<All>, OnlyHere<All>, NoC<"for people at a command line">;
def help_all : Flag<["--", "-"], "help-all">,
               HelpText<"Print all options, in all words, and stop">,
               Visibility<All>, OnlyHere<All>,
               NoC<"for people at a command line">;
def h : Flag<["-"], "h">, Alias<help>, Visibility<All>;
def version : Flag<["--", "-"], "version">,
              HelpText<"Print the version, and stop">, Visibility<All>,
              NoPython<All, "onnxc.__version__">,
              NoC<"ONNXC_OPTIMIZER_VERSION">;
} // explaining

//===----------------------------------------------------------------------===//
// What is read
//===----------------------------------------------------------------------===//

let Group = reading in {
defm config : Value<"config", "file",
    "Read options from this file: one in each line, as here, without quotes; "
    "lines that begin with # are comments. Of an option that the command line "
    "has, too, only that counts; those of other verbs are left out",
    Configured>, OnlyHere<Configured>;
defm max_nodes : NumberValue<"max-nodes", "n", !shl(1, 22), 1, Unbounded,
    "Refuse a model of more nodes, calls of functions counted as what they "
    "call", [Compile, Check, Inspect, Convert, Quantize, Optimize]>,
    Python<"max_nodes">, Flags<[Advanced]>;
// protobuf is given a multiple of it, which is an int.
defm max_depth : NumberValue<"max-depth", "n", 400, 0, !srl(MostCount, 3),
    "Refuse a model with subgraphs or calls nested deeper",
    [Compile, Check, Inspect, Convert, Quantize, Optimize]>, Python<"max_depth">, Flags<[Advanced]>;
// More is a mistake, or an attack, more often than a model.
defm max_tensor_bytes : NumberValue<"max-tensor-bytes", "n", !shl(1, 35), 0, Unbounded,
    "Refuse a model with a tensor of more bytes", Readers>,
    Python<"max_tensor_bytes">, Flags<[Advanced]>;
defm fold_budget : NumberValue<"fold-budget", "bytes", !shl(1, 22), 0, Unbounded,
    "The most that a constant computed by the compiler may take, if what it is "
    "computed from takes less",
    [Compile, Check, Optimize]>, Flags<[Advanced]>, Python<"fold_budget">;
defm shape : Value<"shape", "name:sizes",
    "The shape of an input where the model leaves it open, ? for what stays so: "
    "x:1x3x?x?. Once for each input",
    [Compile, Check, Inspect, Run, Bench, Profile, Compare, Tune, Quantize]>,
    HelpTextForVariants<Timers,
    "The shape of an input that no file gives, where the model leaves it open: "
    "x:1x3x224x224. Sizes that are not given are 1">,
    Flags<[Repeatable]>, Python<"shapes">;
defm input_shape : Value<"input-shape", "name:sizes",
    "The same as --shape", [Compile, Check, Inspect, Optimize]>,
    HelpTextForVariants<[Optimize],
    "The shape of an input where the model leaves it open, ? for what stays so: "
    "x:1x3x?x?. Once for each input; the new model declares it">,
    Flags<[Repeatable, Advanced]>, Python<"input_shapes">,
    NoPython<Readers, "shapes is the same">;
defm dim : Value<"dim", "name=size",
    "The size of a dimension that the model gives a name: seq=128; for a "
    "compile also a range, seq=1..512, to have faster code for likely sizes "
    "beside that for any. Once for each dimension", [Compile, Check, Inspect, Tune]>,
    Flags<[Repeatable]>, Python<"dims">;
defm pulse : Value<"pulse", "name=size",
    "Compile a step over pulses of this size along a dimension of the inputs "
    "that the model leaves open, which is named, or input:axis: time=160, "
    "audio:1=160. The context keeps what later pulses need of earlier ones "
    "(docs/pulses.md). Once for each dimension",
    [Compile]>, Flags<[Repeatable]>, Python<"pulses">;
defm state : Value<"state", "output=input,...",
    "The context keeps these outputs and passes them as these inputs to the next "
    "run; neither is in the model's interface: present.*.key=past.*.key, where * "
    "is the same text in both; or auto, for the names that exporters write "
    "(docs/states.md)",
    [Compile]>, Flags<[CommaSeparated]>, Python<"state">;
defm state_capacity : Value<"state-capacity", "length",
    "How long states may become; memory for that is taken at once. Default 0: "
    "any length",
    [Compile]>, Flags<[Advanced]>, Python<"state_capacity">;
defm last_logits : Value<"last-logits", "output",
    "Compute this output, logits of all positions, for the last position only: "
    "the last but one of its dimensions becomes 1. What is only for the others "
    "is not computed",
    [Compile]>, Flags<[Advanced]>, Python<"last_logits">;
defm freeze : OptionalValue<"freeze", "name,...",
    "Initializers that are inputs as well are constants, or those of these "
    "names; without it, from IR version 4 on, they can be overridden when the "
    "model runs, for which code is compiled that does not know their values",
    [Compile, Check, Quantize, Optimize]>,
    HelpTextForVariants<[Quantize, Optimize],
    "Initializers that are inputs as well are constants: no caller overrides "
    "them">, Flags<[ValueOptional, CommaSeparated]>, Python<"freeze">;
} // reading

//===----------------------------------------------------------------------===//
// What is compiled
//===----------------------------------------------------------------------===//

let Group = making in {
def O : Joined<["-", "--"], "O">, MetaVarName<"n">,
    HelpText<"The level, 0 to 3; 2 is the default. -O0: plain loops in ONNX's "
    "order; -O1: fused and vectorized; -O2: packed, blocked and on many "
    "threads; -O3: as -O2, with more work by LLVM">,
    Visibility<[Compile, Check, Inspect, Run, Bench, Profile, Compare, Tune]>,
    Python<"opt_level">,
    NoPython<[Inspect], "a page shows the default level">;
defm opt_level : LongForm<"opt-level", O,
    [Compile, Check, Inspect, Run, Bench, Profile, Compare, Tune]>;
defm o : Value<"o", "file",
    "Where the result goes; the suffix says what it is: .so .a .lib .o .obj "
    ".wasm .s .ll .mlir .mlirbc .h, or .onnx for the rewritten model; none: a "
    "program for Linux that reads and writes .npy files. Default: the model's "
    "name with .so (with .a or .lib for macOS and Windows; of onnxc tune with "
    ".tuning.json), here",
    [Compile, Inspect, Convert, Tune, Quantize, Optimize]>,
    HelpTextForVariants<[Inspect, Optimize],
    "Where the drawing or the new model goes, - for the standard output. Default "
    "of a drawing: the model's name with .dot, .svg or .html, here">,
    Python<"output">,
    NoPython<[Inspect, Quantize, Optimize], "what is made is returned">,
    NoC<"the model that is made is returned">;
defm output : LongForm<"output", o, [Compile, Inspect, Convert, Tune, Quantize, Optimize]>;
defm emit : Value<"emit", "kind",
    "What to write, where the suffix does not say: so, exe (a program), a, lib, "
    "o, obj, wasm, s, ll, mlir, h or onnx", [Compile]>,
    NoPython<[Compile], "the suffix says it; without output, a .so is returned">;
defm mcpu : Value<"mcpu", "names",
    "The processor to compile for, as clang and llc name them (x86-64-v3, "
    "znver4, x86-64-v4+avx512vnni, ...). Default: native, this machine's",
    [Compile, Inspect, Run, Bench, Profile, Compare, Tune]>,
    HelpTextForVariants<[Compile],
    "The processor to compile for, as clang and llc name them (x86-64-v3, "
    "znver4, x86-64-v4+avx512vnni, ...); native: this machine's; several, "
    "separated by commas, from the lowest on: the file has code for each, and "
    "runs the last one that its machine has; portable (default for a library "
    "of a model from -O1 on, without --mattr; else native): x86-64-v2, -v3, -v4, and those with "
    "instructions for 8-bit integers, if the model multiplies them">,
    Python<"mcpu">,
    NoPython<[Inspect], "a page shows the code for this machine">;
defm mattr : Value<"mattr", "+a,-b",
    "Instruction sets to use or to avoid beside --mcpu",
    [Compile, Inspect, Run, Bench, Profile, Compare, Tune]>, Python<"mattr">,
    NoPython<[Inspect], "a page shows the code for this machine">;
defm mtriple : Value<"mtriple", "triple",
    "The system to compile for, e.g. aarch64-linux-gnu. Default: this one",
    [Compile]>, Python<"mtriple">;
defm list_features : Switch<"list-features",
    "Print the processors and features of --mtriple, for --mcpu and --mattr, as "
    "--mcpu=help and --mattr=help do, and stop", [Compile]>,
    Flags<[Advanced]>, NoPython<[Compile], "for people at a command line">;
defm freestanding : Switch<"freestanding",
    "Make code for a machine without an operating system: a .a or .o that "
    "allocates no memory and starts no thread", [Compile]>,
    NoPython<[Compile], "a library for another machine: from the command line">;
defm prefix : Value<"prefix", "name",
    "Which model, if the file has several", [Compile, Run, Bench, Profile]>,
    HelpTextForVariants<[Compile],
    "First part of every exported symbol. Default: from the output's name">,
    Python<"prefix">;
defm standalone_header : Switch<"standalone-header",
    "Have onnxc/runtime.h in the C header, so that a program needs no file of "
    "onnxc's but the library and its header", [Compile]>,
    Python<"standalone_header">;
defm save_config : Value<"save-config", "file",
    "Write the options that are given, those of --config among them, into this "
    "file, for --config", Readers>, Flags<[Advanced]>, OnlyHere<Readers>;
defm fast_math : Switch<"fast-math",
    "Rewrite floating-point arithmetic as if it were exact", [Compile]>,
    Python<"fast_math">;
defm no_winograd : Switch<"no-winograd",
    "Sum up convolutions as they are defined, also where fewer products "
    "have rounding errors of the same size, or, of bytes, none", [Compile]>,
    Python<"no_winograd">;
defm activation_int8 : Value<"activation-int8", "model|never|always",
    "Multiply weights of 2, 4 or 8 bits that have a scale for each block by rows of "
    "8-bit integers, which are quantized as the model runs (docs/quantizing.md): where the model "
    "says so, by accuracy_level=4 of MatMulNBits (default); never; or always, "
    "which adds an error of a percent or less to each product, and takes less time",
    [Compile]>, Values<"model,never,always">, Python<"activation_int8">;
defm tuning : Value<"tuning", "file",
    "Take the schedules of kernels that are in this file, which `onnxc tune` "
    "measured; what is computed is the same, bit for bit", [Compile]>,
    Python<"tuning">;
defm sanitize : Value<"sanitize", "address",
    "Check every access of the generated code by AddressSanitizer; the program "
    "that loads or links the result brings its runtime (-fsanitize=address, or "
    "LD_PRELOAD)", [Compile]>, Python<"sanitize">;
defm threads : Value<"threads", "count",
    "How many threads work on a run; 0 for one per core that the process may "
    "use", [Compile, Run, Bench, Profile, Compare, Tune, Quantize]>,
    HelpTextForVariants<[Compile],
    "How many threads the compile uses; what it makes is the same. Default 0: "
    "one per core">, Python<"threads">,
    NoPython<[Compile], "in a program's process the passes run on the caller's thread">;
defm save_external : Value<"save-external", "file",
    "Put large weights of a .onnx output into this file, beside it",
    [Compile, Convert, Quantize, Optimize]>,
    HelpTextForVariants<[Optimize],
    "Write weights to a file of this name, beside the model; none that the "
    "model is read from">, Python<"save_external">,
    NoPython<[Compile], "onnxc.optimize writes models">;
defm opset : Value<"opset", "[domain=]n",
    "Write a .onnx output at opset n, newer or older; ai.onnx.ml=3 for another "
    "domain's. Nothing else is changed, unless --stop-after=optimize says so",
    [Compile, Convert, Optimize]>,
    HelpTextForVariants<[Optimize],
    "Bring the model to opset n first, newer or older; ai.onnx.ml=3 for another "
    "domain's">, Flags<[Repeatable]>,
    NoPython<[Compile, Optimize], "onnxc.convert_version">,
    NoC<"a change of opset is not part of the C API">;
} // making

//===----------------------------------------------------------------------===//
// How a compile goes
//===----------------------------------------------------------------------===//

let Group = explaining in {
defm opset_report : Switch<"opset-report",
    "Print which versions of operators the model uses, which are rewritten, and "
    "by which rule", Compilers>,
    NoPython<Compilers, "the dict of onnxc.check has them">;
defm stop_after : Value<"stop-after", "stage",
    "Write the module as it is after this stage (.mlir), or the model as it is "
    "then (.onnx)", [Compile]>, Flags<[Advanced]>, OnlyHere<[Compile]>;
defm start_from : Value<"start-from", "stage",
    "The first stage to run on a .mlir file. Default: the one after the stage "
    "that wrote the file, or upgrade", [Compile]>, Flags<[Advanced]>, OnlyHere<[Compile]>;
defm dump_stages : Value<"dump-stages", "directory",
    "Leave the module after each stage there: 01-import.mlir ...", [Compile]>,
    Flags<[Advanced]>, OnlyHere<[Compile]>;
defm print_pipeline : Switch<"print-pipeline",
    "Print the passes of this compile as onnx-mlir-opt --pass-pipeline= takes "
    "them, and stop", [Compile, Optimize]>,
    HelpTextForVariants<[Optimize],
    "Print the passes as onnx-mlir-opt --pass-pipeline= takes them, and stop">,
    Flags<[Advanced]>, OnlyHere<[Compile, Optimize]>, NoC<"for people at a command line">;
defm rewrite_failure : Value<"rewrite-failure", "by-build|error|warning",
    "What it is if a rewrite of the graph fails: an error if onnxc was built "
    "with assertions, an error, or a warning and rewrites are left out",
    [Compile]>, Flags<[HelpHidden]>, Values<"by-build,error,warning">,
    NoPython<[Compile], "for tests">;
defm after_rewrites : Value<"after-rewrites", "passes",
    "Passes behind the rewrites, as --pass-pipeline= takes them", [Compile]>,
    Flags<[HelpHidden]>, NoPython<[Compile], "for tests">;
defm time_stages : Switch<"time-stages",
    "Print the time and memory of each stage", [Compile]>, OnlyHere<[Compile]>;
defm opt_report : OptionalValue<"opt-report", "file",
    "Say for each node which loops were made of it, how they use the machine, "
    "what was fused, and why something was not. As text, or as JSON into a file "
    "named .json", [Compile]>, Flags<[ValueOptional]>, OnlyHere<[Compile]>;
defm profile : Switch<"profile",
    "Have the model note when the work for each node runs, for `onnxc profile`",
    [Compile]>, NoPython<[Compile], "`onnxc profile` reads what it notes">;
defm diagnostics : Value<"diagnostics", "text|json|sarif",
    "How errors and warnings are printed: as text (default), each as a JSON "
    "object in a line of its own, or as one SARIF log; with codes that stay, "
    "which docs/diagnostics.md lists", [Compile, Check, Convert, Quantize, Optimize]>,
    Values<"text,json,sarif">, OnlyHere<[Compile, Check, Quantize, Optimize]>,
    NoC<"for people at a command line">;
defm color : Value<"color", "auto|always|never",
    "Whether errors are colored: on a terminal (default), always or never. "
    "NO_COLOR in the environment is never",
    [Compile, Check, Convert, Quantize, Optimize]>,
    Values<"auto,always,never">, Flags<[Advanced]>,
    OnlyHere<[Compile, Check, Quantize, Optimize]>, NoC<"for people at a command line">;
defm v : Switch<"v",
    "Say what is done, and print the remarks of the passes", [Compile]>,
    OnlyHere<[Compile]>;

//===----------------------------------------------------------------------===//
// What is printed, drawn and run
//===----------------------------------------------------------------------===//

defm json : Switch<"json", "Print JSON instead of text",
    [Check, Inspect, Bench, Profile, Doctor]>,
    NoPython<[Check, Inspect], "a dict is returned">;
defm max_faults : NumberValue<"max-faults", "count", 1000, 1, MostCount,
    "Stop at so many faults", [Check]>,
    NoPython<[Check], "the default is enough for a program">;
defm graph : Value<"graph", "dot|svg|html",
    "Draw the model: for graphviz, as a picture, or as a page that shows it before "
    "and after optimization, its kernels and their schedules, the plan of the "
    "memory, and times (--times=)", [Inspect]>, Python<"graph">;
defm times : Value<"times", "file.json",
    "Times for the page of --graph=html: what `onnxc profile --json` printed",
    [Inspect]>, NoPython<[Inspect], "times are for people who look at a page">;
defm max_drawn : NumberValue<"max-drawn", "count", 20000, 0, MostCount,
    "Draw no model with more nodes", [Inspect]>,
    NoPython<[Inspect], "what a program asks for is drawn">;
} // explaining

let Group = running in {
defm inputs : Value<"inputs", "file.npz", "Arrays named as the model's inputs",
    Runners>, Flags<[Repeatable]>, NoPython<[Run], "run() takes arrays">;
defm input : Value<"input", "name=file.npy",
    "The array of one input; may be repeated. A model with one input also takes "
    "a file alone", Runners>, Flags<[Repeatable]>,
    NoPython<[Run], "run() takes arrays">;
defm save : Value<"save", "file.npz",
    "Where to put the outputs, under their names", [Run]>,
    NoPython<[Run], "run() returns arrays">;
defm random : Switch<"random",
    "Make up inputs that no file gives: numbers between -1 and 1, ones "
    "(integers) or true, the same each time; --shape says open sizes, which "
    "are 1 else", [Run]>, NoPython<[Run], "run() takes arrays">;
defm expect : Value<"expect", "file",
    "What the outputs have to be: arrays named as they (.npz), or that of the "
    "only one (.npy). What differs is an error that names both sides",
    [Run, Compare]>, NoPython<[Run], "run() returns arrays">;
defm rtol : Value<"rtol", "number",
    "How far numbers may differ, relative to the greatest of their output. "
    "Default: 1e-3 (float16: 1e-2, bfloat16: 5e-2, double: 1e-6); integers are "
    "equal", [Run, Compare]>, NoPython<[Run], "run() returns arrays">;
defm atol : Value<"atol", "number",
    "How far they may differ beside that. Default: 1e-5",
    [Run, Compare]>, NoPython<[Run], "run() returns arrays">;
defm test_data : Value<"test-data", "folder",
    "A folder with input_0.pb ... and output_0.pb ..., or with folders "
    "test_data_set_0 ... of them. Default: the model's, if it has such",
    [Compare]>;
defm against : Value<"against", "stored|onnxruntime|O0",
    "What to compare with: stored outputs, ONNX Runtime of the python3 in PATH "
    "(or of $ONNXC_PYTHON), or onnxc's plain loops. Default: the first of them "
    "that there is", [Compare]>, Values<"stored,onnxruntime,O0">;
defm reps : Value<"reps", "count",
    "How often to run. Default 0: for two seconds, at least ten times",
    [Bench, Profile]>,
    HelpTextForVariants<[Profile],
    "How often to run, within five seconds; medians are shown. Default 50">;
defm peak : Switch<"peak",
    "Measure the machine alone: arithmetic and reads of one core", [Bench]>;
defm top : NumberValue<"top", "count", 40, 0, MostCount,
    "Show the slowest nodes only; 0 for all", [Profile, Tune]>,
    HelpTextForVariants<[Tune], "Tune the slowest kernels only; 0 for all">;
defm try_decisions : NumberValue<"try-decisions", "count", 0, 0, MostCount,
    "Measure nothing: compile so often, with other decisions for all kernels each "
    "time, and compare what is computed bit by bit", [Tune]>,
    Flags<[HelpHidden]>;
defm time : NumberValue<"time", "seconds", 60, 1, MostCount,
    "How long to measure, at most", [Tune]>;
defm least : Switch<"least",
    "Show each node's fastest run instead of the median: what other work on the "
    "machine disturbs least", [Profile]>;
defm trace : Value<"trace", "file.json",
    "Leave the course of one run there, for chrome://tracing or ui.perfetto.dev",
    [Profile]>;
} // running

//===----------------------------------------------------------------------===//
// onnx-optimize
//===----------------------------------------------------------------------===//

let Group = optimizing in {
defm passes : Value<"passes", "a,b",
    "Run these passes, in this order, once each; see --list. Default: everything "
    "that changes no result by more than rounding, until nothing changes",
    [Optimize]>, Flags<[CommaSeparated]>, Python<"passes">,
    NoC<"onnxc_optimizer_run_passes takes them">;
defm disable : Value<"disable", "a,b",
    "Passes that the default pipeline leaves out: to find the one at fault",
    [Optimize]>, Flags<[CommaSeparated]>, Python<"disabled">;
defm no_passes : Switch<"no-passes", "Run none: read and write", [Optimize]>,
    NoPython<[Optimize], "passes=[] says it">,
    NoC<"a model can be saved as it was loaded">;
defm fixed_point : Switch<"fixed-point", "Repeat --passes until nothing changes",
    [Optimize]>, Python<"fixed_point">;
defm upstream_compatible : Switch<"upstream-compatible",
    "Write what onnx-optimizer writes: without --passes, the passes that it runs "
    "by default; no rewrite beyond its forms", [Optimize]>,
    Python<"upstream_compatible">;
defm check : NumberValue<"check", "n", 0, 0, MostCount,
    "Compile both models at -O0 and compare n runs on random inputs; a "
    "difference is an error", [Optimize]>,
    NoPython<[Optimize], "onnxc.simplify has check_n">,
    NoC<"the library does not run models">;
defm stats : Switch<"stats",
    "Print the changes by pass (in the default pipeline by group of passes, "
    "--list says which), and the nodes before and after", [Optimize]>,
    NoPython<[Optimize], "optimize_with_statistics returns them">,
    NoC<"onnxc_optimizer_num_changes">;
defm functions : Value<"functions", "keep|inline",
    "What to do with the model's own functions: keep them (default), or put "
    "what they do in the place of their calls", [Optimize]>,
    Values<"keep,inline">, Python<"inline_functions">;
defm keep_missing_data : Switch<"keep-missing-data",
    "Files of external data may be missing: what is in them stays a reference",
    [Optimize]>,
    NoPython<[Optimize], "of a model in memory, references are all there is">;
defm nsz : Switch<"nsz",
    "The sign of a zero does not matter: x + 0 is x (default: false, but of "
    "passes that are named with --upstream-compatible)", [Optimize]>,
    Python<"nsz">;
defm keep_interface : Switch<"keep-interface",
    "No input disappears, used or not (default: true, but of passes that are "
    "named with --upstream-compatible)", [Optimize]>, Python<"keep_interface">;
defm nnan : Switch<"nnan", "No value is NaN (default: false)", [Optimize]>,
    Python<"nnan">;
defm ninf : Switch<"ninf", "No value is infinite (default: false)", [Optimize]>,
    Python<"ninf">;
defm assume_strictly_monotone : Switch<"assume-strictly-monotone",
    "Monotone functions keep apart what is different, as if floats were exact",
    [Optimize]>, Python<"assume_strictly_monotone">;
defm keep_opset : Switch<"keep-opset",
    "Make no operators that the model's opset lacks (default: true)",
    [Optimize]>,
    NoPython<[Optimize], "a ModelProto stays at its opset">;
defm unroll_budget : NumberValue<"unroll-budget", "nodes", 256, 0, Unbounded,
    "The most nodes that an unrolled Loop may become", [Optimize]>,
    Python<"unroll_budget">;
defm external_threshold : NumberValue<"external-threshold", "bytes", 1024, 0, Unbounded,
    "Smaller weights stay in the model", [Optimize]>,
    NoPython<[Optimize], "save_external is used above 2 GiB only">;
defm list_passes : Switch<"list", "Print all passes and what they are, and stop",
    [Optimize]>, NoPython<[Optimize], "describe_passes returns them">,
    NoC<"onnxc_optimizer_passes">;
} // optimizing

//===----------------------------------------------------------------------===//
// How a model is quantized
//===----------------------------------------------------------------------===//

let Group = optimizing in {
defm int4 : Switch<"int4",
    "Weights of MatMul and Gemm become integers of 4 bits, with a scale for each "
    "block", [Quantize]>, Python<"bits">;
defm int8 : Switch<"int8",
    "The same of 8 bits; with --calibrate, activations become integers of 8 bits "
    "as well, and convolutions are quantized, too", [Quantize]>,
    NoPython<[Quantize], "bits says both">;
defm calibrate : Value<"calibrate", "file.npz",
    "Inputs to measure with: arrays named as the model's inputs, of one run, or "
    "of several along the first dimension where the model's is fixed; a .npy "
    "file of a model with one input; or a folder of such files",
    [Quantize]>, Flags<[Repeatable]>, Python<"calibrate">;
defm weight_only : Switch<"weight-only",
    "With --int8 and --calibrate: quantize weights only, and weigh their errors "
    "by the activations", [Quantize]>, Python<"weight_only">;
defm block_size : NumberValue<"block-size", "n", 32, 1, MostCount,
    "How many weights along the axis that is summed over have one scale",
    [Quantize]>, Python<"block_size">;
defm zero_points : Switch<"zero-points",
    "Give each block a zero point as well, and unsigned integers",
    [Quantize]>, Python<"zero_points">;
defm embeddings : Switch<"embeddings",
    "Quantize the tables of Gather nodes, too, to 8 bits", [Quantize]>,
    Python<"embeddings">;
defm format : Value<"format", "qdq|matmul-nbits",
    "How weights by block are written: DequantizeLinear of opset 21 (default), or "
    "MatMulNBits of ONNX Runtime's domain", [Quantize]>,
    Values<"qdq,matmul-nbits">, Python<"format">;
defm calibration_method : Value<"calibration-method", "least-error|min-max|percentile",
    "How the range of an activation is chosen: that of the least squared error "
    "(default), all values, or all but the outermost ones", [Quantize]>,
    Values<"least-error,min-max,percentile">, Python<"calibration_method">;
defm percentile : Value<"percentile", "number",
    "How many percent of the values are inside on each side with "
    "--calibration-method=percentile. Default: 99.99", [Quantize]>,
    Flags<[Advanced]>, Python<"percentile">;
defm activations : Value<"activations", "uint8|int8",
    "The type of activations: with a zero point (default), or without",
    [Quantize]>, Values<"uint8,int8">, Flags<[Advanced]>, Python<"activations">;
defm exclude : Value<"exclude", "pattern",
    "Leave out the layers of this node name, output or operator; * stands for "
    "any text", [Quantize]>, Flags<[Repeatable]>, Python<"exclude">;
defm max_error : Value<"max-error", "number",
    "Leave out the most sensitive layers until the relative error of the outputs "
    "is at most that: 0.01 is 1 %", [Quantize]>, Python<"max_error">;
defm sensitivity : Switch<"sensitivity",
    "Measure what each layer alone does to the outputs, for the report; "
    "--max-error does so, too", [Quantize]>, Python<"sensitivity">;
defm report : Value<"report", "file",
    "Put the report into this file, not on the standard error; as JSON if it is "
    "named .json", [Quantize]>,
    NoPython<[Quantize], "onnxc.quantize_with_report returns it">;
} // optimizing

#endif // ONNXC_PIPELINES_OPTIONS
