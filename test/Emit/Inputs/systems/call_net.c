/* Calls a model by its header, with nothing but the headers of the compiler. */
#include "net.h"

int main(void) {
  static float image[784], scores[10];
  onnxc_context *context;
  onnxc_status status = net_create(NULL, &context);
  if (status == ONNXC_OK)
    status = net_run(context, image, scores);
  onnxc_destroy(context);
  return (int)status;
}
