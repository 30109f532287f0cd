# Programs that run where nothing of this machine is installed: what a build with
# LLVM's archives (StaticLLVM.cmake) makes of its libraries.
#
#   ONNXC_GLIBC            the oldest glibc that programs are for, as 2.28; empty:
#                          this machine's. Links against stand-ins
#                          (utils/glibc_stand_ins.py) and OnnxcOldGlibc
#   ONNXC_PROTOBUF_SOURCE  protobuf's sources, of the version that is installed
#
# onnxc_make_portable(<target>) is for everything that is installed.

set(ONNXC_GLIBC "" CACHE STRING "Oldest glibc that the programs are for (x86-64), as 2.28; empty: this machine's")
set(ONNXC_PROTOBUF_SOURCE "" CACHE PATH "Sources of the installed protobuf; without it, utils/protobuf_source.sh gets them")

if(ONNXC_GLIBC)
  if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux" OR NOT CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
    message(FATAL_ERROR "ONNXC_GLIBC is for Linux on x86_64, not ${CMAKE_SYSTEM_NAME} on ${CMAKE_SYSTEM_PROCESSOR}")
  endif()
  set(ONNXC_STAND_INS "${PROJECT_BINARY_DIR}/glibc-${ONNXC_GLIBC}")
  set(script "${PROJECT_SOURCE_DIR}/utils/glibc_stand_ins.py")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${script}")
  execute_process(
    COMMAND "${ONNXC_PYTHON}" "${script}" --oldest "${ONNXC_GLIBC}" -o "${ONNXC_STAND_INS}"
            --clang "${LLVM_TOOLS_BINARY_DIR}/clang" --readelf "${LLVM_TOOLS_BINARY_DIR}/llvm-readelf"
    RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${script} failed")
  endif()
endif()

# Without the names of its functions, and of shared libraries only those of glibc.
# <target>.members is written beside: which members of archives were taken, and
# why (utils/notices.py).
function(onnxc_make_portable target)
  target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc -Wl,-s
    -Wl,--gc-sections -Wl,--as-needed
    "-Wl,--why-extract=${PROJECT_BINARY_DIR}/${target}.members")
  if(ONNXC_GLIBC)
    target_link_options(${target} PRIVATE "-L${ONNXC_STAND_INS}")
    target_link_libraries(${target} PRIVATE OnnxcOldGlibc)
  endif()
  get_target_property(type ${target} TYPE)
  if(NOT type STREQUAL "EXECUTABLE")
    target_link_options(${target} PRIVATE -Wl,--exclude-libs,ALL)
  endif()
endfunction()

# Debian's archive of protobuf is of code for programs: as a part of a shared
# library, it would have variables of threads that Python's process has no room
# for. What ONNX's messages need of it is compiled once more from the sources.
set(source "${ONNXC_PROTOBUF_SOURCE}")
if(NOT source)
  execute_process(COMMAND "${PROJECT_SOURCE_DIR}/utils/protobuf_source.sh"
                  OUTPUT_VARIABLE source OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "Protobuf's sources are needed: see above, or name them by -DONNXC_PROTOBUF_SOURCE=")
  endif()
endif()
set(list "${source}/cmake/libprotobuf-lite.cmake")
if(NOT EXISTS "${list}")
  message(FATAL_ERROR "ONNXC_PROTOBUF_SOURCE: ${list} does not exist")
endif()
file(STRINGS "${list}" files REGEX "/src/google/protobuf/.*\\.cc$")
list(TRANSFORM files REPLACE "^.*(/src/google/protobuf/.*)$" "${source}\\1")
add_library(OnnxcProtobufLite STATIC ${files})
target_include_directories(OnnxcProtobufLite PRIVATE "${source}/src")
target_compile_options(OnnxcProtobufLite PRIVATE -w "-ffile-prefix-map=${source}=protobuf")
target_compile_definitions(OnnxcProtobufLite PRIVATE HAVE_PTHREAD)
target_link_libraries(onnx_proto PUBLIC OnnxcProtobufLite)
