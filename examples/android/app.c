/* The app's library: a function for its Java or Kotlin side, without jni.h here
   so that it can be tried on any machine. */

#include "app.h"

#include "digits.h"

#include <stddef.h>

/* Which digit an image of 28x28 shows; -1 if something went wrong. The context
   is made anew each time: an app would keep it. */
int read_digit(const unsigned char *pixels) {
  float image[28 * 28], scores[10];
  onnxc_context *context;
  int best = 0;
  if (digits_create(NULL, &context) != ONNXC_OK)
    return -1;
  for (int i = 0; i < 28 * 28; ++i)
    image[i] = ((float)pixels[i] / 255.0f - 0.1307f) / 0.3081f;
  if (digits_run(context, image, scores) != ONNXC_OK)
    best = -1;
  for (int i = 1; best >= 0 && i < 10; ++i)
    if (scores[i] > scores[best])
      best = i;
  onnxc_destroy(context);
  return best;
}
