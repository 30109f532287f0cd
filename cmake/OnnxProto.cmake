# The protobuf classes of ONNX (namespace onnx), generated from the onnx-ml.proto
# that the PyPI package "onnx" carries; the project keeps no copy of it.
#
#   ONNXC_PYTHON   a Python that can import onnx (default: the environment made by
#                  utils/install-deps.sh, else .venv, else python3)
#   onnx_proto     the library; `LINK onnx_proto` and
#                  `#include <onnx/onnx-ml.pb.h>`
#
# Only lib/Proto, lib/Import and lib/Export may link it.

set(cache_home "$ENV{XDG_CACHE_HOME}")
if(NOT cache_home)
  set(cache_home "$ENV{HOME}/.cache")
endif()
set(python_candidates "$ENV{ONNXC_PYTHON}" "${cache_home}/onnxc/venv/bin/python3"
    "${CMAKE_SOURCE_DIR}/.venv/bin/python3" python3)
if(NOT ONNXC_PYTHON)
  foreach(candidate ${python_candidates})
    execute_process(COMMAND "${candidate}" -c "import onnx"
                    RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
    if(status EQUAL 0)
      set(ONNXC_PYTHON "${candidate}" CACHE FILEPATH "A Python that can import onnx")
      break()
    endif()
  endforeach()
endif()
if(NOT ONNXC_PYTHON)
  message(FATAL_ERROR "No Python with the package onnx was found. Run utils/install-deps.sh, "
                      "or pass -DONNXC_PYTHON=/path/to/python3.")
endif()

execute_process(
  COMMAND "${ONNXC_PYTHON}" -c
    "import onnx, os; print(onnx.__version__); print(os.path.dirname(os.path.dirname(onnx.__file__)))"
  OUTPUT_VARIABLE answer RESULT_VARIABLE status OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${ONNXC_PYTHON} cannot import onnx. Run utils/install-deps.sh, "
                      "or pass -DONNXC_PYTHON=/path/to/python3.")
endif()
string(REPLACE "\n" ";" answer "${answer}")
list(GET answer 0 ONNXC_ONNX_VERSION)
list(GET answer 1 onnx_root)
if(ONNXC_ONNX_VERSION VERSION_LESS 1.23)
  message(FATAL_ERROR "${ONNXC_PYTHON} has onnx ${ONNXC_ONNX_VERSION}; 1.23 or newer is needed.")
endif()
message(STATUS "onnx ${ONNXC_ONNX_VERSION} of ${ONNXC_PYTHON}")

find_package(Protobuf 3.21 REQUIRED)
set(onnx_proto_dir "${CMAKE_BINARY_DIR}/proto")
file(MAKE_DIRECTORY "${onnx_proto_dir}")
add_custom_command(
  OUTPUT "${onnx_proto_dir}/onnx/onnx-ml.pb.cc" "${onnx_proto_dir}/onnx/onnx-ml.pb.h"
  COMMAND ${Protobuf_PROTOC_EXECUTABLE} --proto_path=${onnx_root}
          --cpp_out=${onnx_proto_dir} onnx/onnx-ml.proto
  DEPENDS "${onnx_root}/onnx/onnx-ml.proto"
  COMMENT "Generating onnx-ml.pb.h from onnx ${ONNXC_ONNX_VERSION}"
  VERBATIM)
add_library(onnx_proto STATIC "${onnx_proto_dir}/onnx/onnx-ml.pb.cc"
            "${onnx_proto_dir}/onnx/onnx-ml.pb.h")
target_compile_options(onnx_proto PRIVATE -w)
target_include_directories(onnx_proto SYSTEM PUBLIC "${onnx_proto_dir}" ${Protobuf_INCLUDE_DIRS})
target_link_libraries(onnx_proto PUBLIC ${Protobuf_LIBRARIES})
# A target that includes the header needs it generated first, also without linking yet.
add_custom_target(onnx_proto_header DEPENDS "${onnx_proto_dir}/onnx/onnx-ml.pb.h")
add_dependencies(onnx_proto onnx_proto_header)
