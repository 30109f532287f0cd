/* For test/capi/threads.c on Windows, which has no aligned_alloc whose memory
   free takes: all of it is of one kind. */
#include <malloc.h>
#include <stdlib.h>

#define malloc(bytes) _aligned_malloc(bytes, 16)
#define aligned_alloc(alignment, bytes) _aligned_malloc(bytes, alignment)
#define free(memory) _aligned_free(memory)
