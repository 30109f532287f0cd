# What the folders of onnxc declare: TableGen outputs, a library, a tool, a unit
# test. They hide whether LLVM and MLIR are linked shared (developer builds) or
# static (release builds).

# onnxc_link_mlir(<target> [<MLIR static libraries>...])
# With the shared MLIR the list is not needed; without it, it is what is linked,
# beside LLVM.
function(onnxc_link_mlir target)
  if(ONNXC_LINK_DYLIB)
    target_link_libraries(${target} PUBLIC MLIR LLVM)
  else()
    target_link_libraries(${target} PUBLIC ${ARGN} OnnxcLLVM)
  endif()
endfunction()

# onnxc_tablegen(<target> <file.td> <generator flags> <output> ...)
# Runs mlir-tblgen once for each (flags, output) pair; outputs land in the binary
# directory that mirrors the current source directory.
function(onnxc_tablegen target td)
  set(LLVM_TARGET_DEFINITIONS ${td})
  set(args ${ARGN})
  while(args)
    list(POP_FRONT args flags output)
    separate_arguments(flags)
    mlir_tablegen(${output} ${flags} EXTRA_INCLUDES ${CMAKE_SOURCE_DIR}/include)
  endwhile()
  add_public_tablegen_target(${target})
  set_property(GLOBAL APPEND PROPERTY ONNXC_TABLEGEN_TARGETS ${target})
endfunction()

# onnxc_add_library(<name> <sources>... [DEPENDS ...] [LINK ...] [MLIR ...] [NO_PCH])
# LINK: other onnxc libraries. MLIR: upstream libraries (for static builds).
function(onnxc_add_library name)
  cmake_parse_arguments(ARG "NO_PCH" "" "DEPENDS;LINK;MLIR" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  get_property(tablegen GLOBAL PROPERTY ONNXC_TABLEGEN_TARGETS)
  if(tablegen)
    add_dependencies(${name} ${tablegen})
  endif()
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  onnxc_link_mlir(${name} ${ARG_MLIR})
  if(NOT ARG_NO_PCH)
    onnxc_use_pch(${name})
  endif()
endfunction()

# onnxc_add_tool(<name> <sources>... [LINK ...] [MLIR ...])
function(onnxc_add_tool name)
  cmake_parse_arguments(ARG "NO_PCH" "" "LINK;MLIR" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  onnxc_link_mlir(${name} ${ARG_MLIR})
  if(NOT ARG_NO_PCH)
    onnxc_use_pch(${name})
  endif()
  set_property(GLOBAL APPEND PROPERTY ONNXC_TOOLS ${name})
endfunction()

# onnxc_add_unittest(<name> <sources>... [LINK ...] [MLIR ...] [NO_PCH])
# A GoogleTest program, run by ctest under its name.
function(onnxc_add_unittest name)
  cmake_parse_arguments(ARG "NO_PCH" "" "LINK;MLIR" ${ARGN})
  find_package(GTest REQUIRED)
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/test/unit")
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gtest GTest::gtest_main)
  onnxc_link_mlir(${name} ${ARG_MLIR})
  if(NOT ARG_NO_PCH)
    onnxc_use_pch(${name})
  endif()
  add_test(NAME ${name} COMMAND ${name})
  set_property(GLOBAL APPEND PROPERTY ONNXC_UNIT_TESTS ${name})
endfunction()

# One precompiled header for the whole project; the top CMakeLists.txt makes it
# once all compile options are set.
function(onnxc_define_pch)
  file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/pch/pch.cpp"
       CONTENT "// owner of the precompiled header\n")
  add_library(onnxc_pch STATIC "${CMAKE_BINARY_DIR}/pch/pch.cpp")
  target_precompile_headers(onnxc_pch PRIVATE
    <string> <vector> <memory>
    <mlir/IR/BuiltinOps.h> <mlir/IR/BuiltinTypes.h> <mlir/IR/OpImplementation.h>
    <mlir/IR/PatternMatch.h> <mlir/Interfaces/InferTypeOpInterface.h>
    <mlir/Interfaces/SideEffectInterfaces.h> <mlir/Bytecode/BytecodeOpInterface.h>)
  target_compile_options(onnxc_pch PRIVATE -Xclang -fno-pch-timestamp)
endfunction()

# By hand rather than REUSE_FROM: CMake names the header by an absolute path
# behind -Xclang, which keeps ccache from sharing objects between checkouts.
# Does nothing in a build without a precompiled header.
function(onnxc_use_pch target)
  if(NOT ONNXC_PCH)
    return()
  endif()
  set(pch "${CMAKE_BINARY_DIR}/CMakeFiles/onnxc_pch.dir/cmake_pch.hxx.pch")
  target_compile_options(${target} PRIVATE
    "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-include-pch ${pch} -Xclang -fno-pch-timestamp>")
  add_dependencies(${target} onnxc_pch)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  set_source_files_properties(${sources} PROPERTIES OBJECT_DEPENDS "${pch}")
  # A program would be compiled as PIE, for which the header of the libraries
  # cannot be used; it can be linked from position-independent code as well.
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${target} PRIVATE -fPIC)
endfunction()
