# ONNXC_ALLOCATOR_OPTIONS: what links the allocator that a command has instead of the
# C library's, for all of its process: a compile makes and frees some ten million
# small objects.
#
# As a shared library, so that what is loaded before it (a sanitizer's runtime, a test
# that lets allocations fail) takes its place. An archive of a release has no other
# libraries beside it, and so none of this.
set(ONNXC_ALLOCATOR_OPTIONS)
if(ONNXC_ALLOCATOR AND NOT ONNXC_STATIC_LLVM AND NOT ONNXC_SANITIZE)
  find_library(ONNXC_JEMALLOC NAMES jemalloc libjemalloc.so.2)
  if(ONNXC_JEMALLOC)
    # In front of libonnxc, which needs the C library.
    set(ONNXC_ALLOCATOR_OPTIONS
        "-Wl,--push-state,--no-as-needed" "${ONNXC_JEMALLOC}" "-Wl,--pop-state")
  endif()
endif()
