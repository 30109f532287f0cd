# The protobuf classes of ONNX (namespace onnx), generated from ONNX's own
# onnx-ml.proto; the project keeps no copy of it.
#
#   ONNXC_ONNX_PROTO   the file, of onnx 1.23 or newer. Without it, the one that
#                      the PyPI package "onnx" of ONNXC_PYTHON carries
#   ONNXC_PYTHON       a Python for the package, for tests, and, without
#                      ONNXC_ONNX_PROTO, with onnx (default: the environment made
#                      by utils/install-deps.sh, else .venv, else python3)
#   onnx_proto         the library; `LINK onnx_proto` and
#                      `#include <onnx/onnx-ml.pb.h>`
#
# Only lib/Proto, lib/Import and lib/Export may link it.

set(ONNXC_ONNX_PROTO "" CACHE FILEPATH "onnx-ml.proto of onnx 1.23 or newer; else that of a Python's package onnx")
set(cache_home "$ENV{XDG_CACHE_HOME}")
if(NOT cache_home)
  set(cache_home "$ENV{HOME}/.cache")
endif()
set(python_candidates "$ENV{ONNXC_PYTHON}" "${cache_home}/onnxc/venv/bin/python3"
    "${PROJECT_SOURCE_DIR}/.venv/bin/python3" python3)
if(SKBUILD)
  # A wheel is built by pip's Python, with what pyproject.toml asks for.
  set(ONNXC_PYTHON "${Python_EXECUTABLE}")
endif()
set(required_module onnx)
if(ONNXC_ONNX_PROTO)
  set(required_module sys)
endif()
if(NOT ONNXC_PYTHON)
  foreach(candidate ${python_candidates})
    execute_process(COMMAND "${candidate}" -c "import ${required_module}"
                    RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
    if(status EQUAL 0)
      set(ONNXC_PYTHON "${candidate}" CACHE FILEPATH "A Python, with the package onnx if ONNXC_ONNX_PROTO is not set")
      break()
    endif()
  endforeach()
endif()

set(onnx_proto_dir "${PROJECT_BINARY_DIR}/proto")
file(MAKE_DIRECTORY "${onnx_proto_dir}")
if(ONNXC_ONNX_PROTO)
  # Under the name that the package gives it, which is part of what protoc writes.
  if(NOT EXISTS "${ONNXC_ONNX_PROTO}")
    message(FATAL_ERROR "ONNXC_ONNX_PROTO: ${ONNXC_ONNX_PROTO} does not exist")
  endif()
  set(onnx_root "${onnx_proto_dir}")
  configure_file("${ONNXC_ONNX_PROTO}" "${onnx_root}/onnx/onnx-ml.proto" COPYONLY)
  message(STATUS "onnx of ${ONNXC_ONNX_PROTO}")
else()
  if(NOT ONNXC_PYTHON)
    message(FATAL_ERROR "No Python with the package onnx was found. Run utils/install-deps.sh, "
                        "pass -DONNXC_PYTHON=/path/to/python3, or -DONNXC_ONNX_PROTO=/path/to/onnx-ml.proto.")
  endif()
  execute_process(
    COMMAND "${ONNXC_PYTHON}" -c
      "import onnx, os; print(onnx.__version__); print(os.path.dirname(os.path.dirname(onnx.__file__)))"
    OUTPUT_VARIABLE answer RESULT_VARIABLE status OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ONNXC_PYTHON} cannot import onnx. Run utils/install-deps.sh, "
                        "pass -DONNXC_PYTHON=/path/to/python3, or -DONNXC_ONNX_PROTO=/path/to/onnx-ml.proto.")
  endif()
  string(REPLACE "\n" ";" answer "${answer}")
  list(GET answer 0 version)
  list(GET answer 1 onnx_root)
  if(version VERSION_LESS 1.23)
    message(FATAL_ERROR "${ONNXC_PYTHON} has onnx ${version}; 1.23 or newer is needed.")
  endif()
  message(STATUS "onnx ${version} of ${ONNXC_PYTHON}")
endif()

find_package(Protobuf 3.21 REQUIRED)
add_custom_command(
  OUTPUT "${onnx_proto_dir}/onnx/onnx-ml.pb.cc" "${onnx_proto_dir}/onnx/onnx-ml.pb.h"
  COMMAND ${Protobuf_PROTOC_EXECUTABLE} --proto_path=${onnx_root}
          --cpp_out=${onnx_proto_dir} onnx/onnx-ml.proto
  DEPENDS "${onnx_root}/onnx/onnx-ml.proto"
  COMMENT "Generating onnx-ml.pb.h"
  VERBATIM)
add_library(onnx_proto STATIC "${onnx_proto_dir}/onnx/onnx-ml.pb.cc"
            "${onnx_proto_dir}/onnx/onnx-ml.pb.h")
target_compile_options(onnx_proto PRIVATE -w)
target_include_directories(onnx_proto SYSTEM PUBLIC "${onnx_proto_dir}" ${Protobuf_INCLUDE_DIRS})
# Else cmake/Portable.cmake has one.
if(NOT ONNXC_STATIC_LLVM)
  target_link_libraries(onnx_proto PUBLIC ${Protobuf_LIBRARIES})
endif()
# A target that includes the header needs it generated first, also without linking yet.
add_custom_target(onnx_proto_header DEPENDS "${onnx_proto_dir}/onnx/onnx-ml.pb.h")
add_dependencies(onnx_proto onnx_proto_header)
