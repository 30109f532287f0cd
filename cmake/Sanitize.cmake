# Sanitizers for onnxc's own code (ONNXC_SANITIZE); LLVM's libraries stay as they
# are. A finding of any sanitizer ends the program.
#
#   ONNXC_SANITIZER_RUNTIME   AddressSanitizer's runtime as a shared object, for
#                             programs that are not ours and load our code:
#                             Python has it preloaded (test/lit.cfg.py)

add_compile_options(-fsanitize=${ONNXC_SANITIZE} -fno-sanitize-recover=all
                    -fno-omit-frame-pointer)
# An empty optional or an index out of range is a finding, too.
add_compile_definitions(_GLIBCXX_ASSERTIONS)
add_link_options(-fsanitize=${ONNXC_SANITIZE})
set(runtime libasan.so)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # As gcc does: the same runtime in our programs and in Python's.
  add_link_options(-shared-libsan)
  set(runtime "libclang_rt.asan-${CMAKE_SYSTEM_PROCESSOR}.so")
endif()
execute_process(COMMAND "${CMAKE_CXX_COMPILER}" "-print-file-name=${runtime}"
                OUTPUT_VARIABLE runtime OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT EXISTS "${runtime}")
  message(FATAL_ERROR "The sanitizer's runtime ${runtime} was not found. Run utils/install-deps.sh.")
endif()
get_filename_component(ONNXC_SANITIZER_RUNTIME "${runtime}" REALPATH)
get_filename_component(directory "${ONNXC_SANITIZER_RUNTIME}" DIRECTORY)
add_link_options("-Wl,-rpath,${directory}")
