// The C API of the optimizer: load, options, passes, save, what errors say.
//
// RUN: rm -rf %t && mkdir -p %t
// RUN: %python %root/test/tools/Inputs/optimize_model.py make %t/in.onnx
// RUN: %cc %s %asan -L %build/lib -lonnxc -Wl,-rpath,%build/lib -o %t/run && %t/run %t/in.onnx %t/out.onnx
// RUN: %python %root/test/tools/Inputs/optimize_model.py print %t/out.onnx | FileCheck %s
// RUN: %cxx -x c++ %s %asan -L %build/lib -lonnxc -Wl,-rpath,%build/lib -o %t/run && %t/run %t/in.onnx %t/out.onnx
// CHECK: opset 13: Add Relu test.local.Twice;
//
// LLVM's own symbols are not libonnxc's: a program may have another LLVM.
// RUN: llvm-nm -D --defined-only %build/lib/libonnxc.so | not grep " T _ZN4llvm[^v]*LLVMContext"

#include "onnxc-c/Optimizer.h"

#include "check.h"

#include <string.h>

static void knows_its_passes(void) {
  size_t count = 0, identities = 0;
  const onnxc_optimizer_pass *passes = onnxc_optimizer_passes(&count);
  for (size_t i = 0; i < count; ++i) {
    CHECK(*passes[i].type && *passes[i].efficiency && *passes[i].summary);
    if (!strcmp(passes[i].name, "eliminate_identity"))
      identities += !strcmp(passes[i].exactness, "bit-exact");
  }
  CHECK(identities == 1);
}

static void refuses(void) {
  CHECK(!onnxc_optimizer_create(ONNXC_OPTIMIZER_VERSION + 1));
  onnxc_optimizer *o = onnxc_optimizer_create(ONNXC_OPTIMIZER_VERSION);
  CHECK(o && !*onnxc_optimizer_text(o));
  CHECK(onnxc_optimizer_run(o) == ONNXC_OPTIMIZER_NO_MODEL);
  CHECK(onnxc_optimizer_save_file(o, "x") == ONNXC_OPTIMIZER_NO_MODEL);
  CHECK(onnxc_optimizer_set(o, "speed", "true") ==
        ONNXC_OPTIMIZER_INVALID_ARGUMENT);
  CHECK(strstr(onnxc_optimizer_text(o), "'speed'"));
  CHECK(onnxc_optimizer_set(o, "nsz", "yes") ==
        ONNXC_OPTIMIZER_INVALID_ARGUMENT);
  CHECK(onnxc_optimizer_set(o, "fold-budget", "1k") ==
        ONNXC_OPTIMIZER_INVALID_ARGUMENT);
  CHECK(onnxc_optimizer_set(o, "disable", "fuse_nothing") ==
        ONNXC_OPTIMIZER_INVALID_ARGUMENT);
  CHECK(onnxc_optimizer_set(o, "fold-budget", "-5") ==
        ONNXC_OPTIMIZER_INVALID_ARGUMENT);
  /* What was refused is not kept. */
  CHECK(onnxc_optimizer_set(o, "nsz", "true") == ONNXC_OPTIMIZER_OK);
  CHECK(onnxc_optimizer_load_file(o, NULL) == ONNXC_OPTIMIZER_INVALID_ARGUMENT);
  CHECK(onnxc_optimizer_load_file(o, "/nowhere/x.onnx") ==
        ONNXC_OPTIMIZER_FAILED);
  CHECK(strstr(onnxc_optimizer_text(o), "/nowhere/x.onnx"));
  CHECK(onnxc_optimizer_load_bytes(o, "\x08nonsense", 9) ==
        ONNXC_OPTIMIZER_FAILED);
  CHECK(*onnxc_optimizer_text(o));
  onnxc_optimizer_destroy(o);
  onnxc_optimizer_destroy(NULL);
}

int main(int argc, char **argv) {
  CHECK(argc == 3);
  knows_its_passes();
  refuses();

  onnxc_optimizer *o = onnxc_optimizer_create(ONNXC_OPTIMIZER_VERSION);
  CHECK(onnxc_optimizer_set(o, "nsz", "false") == ONNXC_OPTIMIZER_OK);
  CHECK(onnxc_optimizer_set(o, "fold-budget", "1000") == ONNXC_OPTIMIZER_OK);
  CHECK(onnxc_optimizer_load_file(o, argv[1]) == ONNXC_OPTIMIZER_OK);
  const char *wrong[] = {"eliminate_identity", "eliminate_identit"};
  CHECK(onnxc_optimizer_run_passes(o, wrong, 2) ==
        ONNXC_OPTIMIZER_INVALID_ARGUMENT);
  CHECK(strstr(onnxc_optimizer_text(o), "did you mean 'eliminate_identity'?"));
  CHECK(onnxc_optimizer_run_passes(o, wrong, 1) == ONNXC_OPTIMIZER_OK);
  CHECK(onnxc_optimizer_num_changes(o) == 1);
  CHECK(onnxc_optimizer_save_file(o, argv[2]) == ONNXC_OPTIMIZER_OK);

  /* Saved again as bytes, and loaded from them: nothing is left to do. */
  const void *data = NULL;
  size_t size = 0;
  CHECK(onnxc_optimizer_save_bytes(o, &data, &size) == ONNXC_OPTIMIZER_OK);
  CHECK(data && size);
  onnxc_optimizer *again = onnxc_optimizer_create(ONNXC_OPTIMIZER_VERSION);
  CHECK(onnxc_optimizer_load_bytes(again, data, size) == ONNXC_OPTIMIZER_OK);
  onnxc_optimizer_destroy(o);
  CHECK(onnxc_optimizer_run_passes(again, wrong, 1) == ONNXC_OPTIMIZER_OK);
  CHECK(onnxc_optimizer_num_changes(again) == 0);
  CHECK(onnxc_optimizer_run(again) == ONNXC_OPTIMIZER_OK);
  onnxc_optimizer_destroy(again);
  return 0;
}
