/* Three models in one program. */
#include "digits.h"
#include "object_digits.h"
#include "shared_digits.h"

#include <stdio.h>

#define RUN(kind, prefix)                                                      \
  do {                                                                         \
    float image[784] = {0}, scores[10] = {0};                                  \
    onnxc_context *context;                                                    \
    if (prefix##_create(NULL, &context) != ONNXC_OK ||                         \
        prefix##_run(context, image, scores) != ONNXC_OK)                      \
      return 1;                                                                \
    onnxc_destroy(context);                                                    \
    printf("%s: %d scores%s\n", kind, 10, scores[0] == 0 ? ", unset" : "");    \
  } while (0)

int main(void) {
  RUN("static", digits);
  RUN("shared", shared_digits);
  RUN("object", objects);
  return 0;
}
