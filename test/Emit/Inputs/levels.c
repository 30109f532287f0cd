/* A model with code for two levels of processors: what its description says,
   and how a context gets one of them. With an argument: the only level that
   this processor has. */

/* For setenv. */
#define _POSIX_C_SOURCE 200809L

#include "threads.h"

#include "check.h"

#include <stdlib.h>
#include <string.h>

static const char *level_of(const char *asked, onnxc_status expected,
                            char *message, size_t size) {
  onnxc_options options = {0};
  onnxc_context *context = NULL;
  const char *name = "";
  options.cpu_level = asked;
  options.message = message;
  options.message_size = size;
  CHECK(onnxc_create(threads_query(ONNXC_ABI_VERSION), &options, &context) ==
        expected);
  if (context)
    name = context->model->target_cpu;
  onnxc_destroy(context);
  return name;
}

#ifdef SINGLE
/* The same of a model with code for one processor. */
int main(void) {
  const onnxc_model *model = threads_query(ONNXC_ABI_VERSION);
  char message[200] = "";
  CHECK(!model->levels);
  CHECK(strcmp(level_of(model->target_cpu, ONNXC_OK, message, sizeof message),
               "x86-64-v2") == 0);
  CHECK(setenv("ONNXC_CPU_LEVEL", "x86-64-v9", 1) == 0);
  CHECK(strcmp(level_of("x86-64-v2", ONNXC_OK, message, sizeof message),
               "x86-64-v2") == 0);
  level_of(NULL, ONNXC_INVALID_ARGUMENT, message, sizeof message);
  CHECK(strcmp(message, "the model has no code for the level 'x86-64-v9', it "
                        "has x86-64-v2") == 0);
  return 0;
}
#else
int main(int argc, char **argv) {
  const onnxc_model *model = threads_query(ONNXC_ABI_VERSION);
  const char *only = argc > 1 ? argv[1] : NULL;
  char message[200] = "";

  CHECK(strcmp(model->target_cpu, "x86-64-v2,x86-64-v3") == 0);
  CHECK(strcmp(model->levels[0]->target_cpu, "x86-64-v2") == 0);
  CHECK(strcmp(model->levels[1]->target_cpu, "x86-64-v3") == 0);
  CHECK(!model->levels[2]);
  CHECK(!model->levels[0]->levels);
  CHECK(model->levels[0]->weights == model->weights &&
        model->levels[1]->weights == model->weights);

  CHECK(strcmp(level_of(NULL, ONNXC_OK, message, sizeof message),
               only ? only : "x86-64-v3") == 0);
  CHECK(strcmp(level_of("x86-64-v2", ONNXC_OK, message, sizeof message),
               "x86-64-v2") == 0);
  CHECK(setenv("ONNXC_CPU_LEVEL", "x86-64-v2", 1) == 0);
  CHECK(strcmp(level_of(NULL, ONNXC_OK, message, sizeof message),
               "x86-64-v2") == 0);
  if (only) {
    level_of("x86-64-v3", ONNXC_UNSUPPORTED_CPU, message, sizeof message);
    CHECK(strstr(message, "this processor lacks '"));
  } else {
    CHECK(strcmp(level_of("x86-64-v3", ONNXC_OK, message, sizeof message),
                 "x86-64-v3") == 0);
  }
  level_of("x86-64-v9", ONNXC_INVALID_ARGUMENT, message, sizeof message);
  CHECK(strcmp(message, "the model has no code for the level 'x86-64-v9', it "
                        "has x86-64-v2,x86-64-v3") == 0);
  return 0;
}
#endif
