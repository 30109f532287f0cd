/* Prints the level of processors that a model picks in a process whose alternate
   signal stack has no room for tile registers: Linux does not allow them then.

   usage: small_stack MODEL.so QUERY */

#include "onnxc/runtime.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  const onnxc_model *(*query)(uint32_t);
  onnxc_options options = {0};
  onnxc_context *context;
  char message[200] = "";
  stack_t stack = {0};
  void *library = argc == 3 ? dlopen(argv[1], RTLD_NOW) : NULL;
  if (!library)
    return 1;
  *(void **)&query = dlsym(library, argv[2]);
  /* As much as what is saved of AVX-512 takes, twice. */
  stack.ss_size = 8192;
  stack.ss_sp = malloc(stack.ss_size);
  if (sigaltstack(&stack, NULL) != 0)
    return 1;
  options.message = message;
  options.message_size = sizeof message;
  if (onnxc_create(query(ONNXC_ABI_VERSION), &options, &context) != ONNXC_OK) {
    puts(message);
    return 1;
  }
  printf("level: %s\n", context->model->target_cpu);
  onnxc_destroy(context);
  return 0;
}
