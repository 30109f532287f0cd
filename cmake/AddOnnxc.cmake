# What the folders of onnxc declare: TableGen outputs, a library, a tool, a unit
# test; and the shared library that they make together. They hide whether LLVM and MLIR are linked shared (developer builds) or
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
    mlir_tablegen(${output} ${flags} EXTRA_INCLUDES ${PROJECT_SOURCE_DIR}/include)
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
  set_property(GLOBAL APPEND PROPERTY ONNXC_LIBRARIES ${name})
endfunction()

# onnxc_add_tool(<name> <sources>... [LINK ...] [MLIR ...])
# A command. The sources define the function <name, '_' for '-'>_main, which
# tools/ToolSupport/ToolMains.h declares and libonnxc has; the program calls it.
function(onnxc_add_tool name)
  onnxc_add_library(${name}-main ${ARGN})
  string(REPLACE "-" "_" ONNXC_TOOL_MAIN "${name}_main")
  configure_file("${PROJECT_SOURCE_DIR}/cmake/ToolMain.cpp.in"
                 "${CMAKE_CURRENT_BINARY_DIR}/${name}.main.cpp" @ONLY)
  add_executable(${name} "${CMAKE_CURRENT_BINARY_DIR}/${name}.main.cpp")
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/tools/ToolSupport")
  target_link_libraries(${name} PRIVATE ${ONNXC_ALLOCATOR_OPTIONS} libonnxc)
  if(ONNXC_STATIC_LLVM)
    onnxc_make_portable(${name})
  endif()
  set_property(GLOBAL APPEND PROPERTY ONNXC_TOOLS ${name})
endfunction()

# onnxc_add_test_tool(<name> <sources>... [LINK ...] [MLIR ...])
# A program for tests only: not installed, and no part of libonnxc.
function(onnxc_add_test_tool name)
  cmake_parse_arguments(ARG "" "" "LINK;MLIR" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  onnxc_link_mlir(${name} ${ARG_MLIR})
  onnxc_use_pch(${name})
  set_property(GLOBAL APPEND PROPERTY ONNXC_TOOLS ${name})
endfunction()

# Defines libonnxc, the shared library of all that onnxc_add_library declared
# before: what the commands, Python's module and programs by the C interface
# (include/onnxc-c) link. With LLVM and MLIR as shared libraries it exports all
# symbols, so that plugins (passes, dialects) find onnxc's; with their archives
# in it, only what its users call, since a program may have an LLVM of its own.
function(onnxc_define_shared_library)
  get_property(libraries GLOBAL PROPERTY ONNXC_LIBRARIES)
  set(objects ${libraries})
  list(TRANSFORM objects REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>")
  add_library(libonnxc SHARED ${objects})
  # For what the libraries depend on, and for objects that are not compiled here.
  target_link_libraries(libonnxc PRIVATE ${libraries})
  set_target_properties(libonnxc PROPERTIES
    OUTPUT_NAME onnxc LINKER_LANGUAGE CXX
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
  target_link_options(libonnxc PRIVATE -Wl,-Bsymbolic-functions)
  if(ONNXC_STATIC_LLVM)
    onnxc_make_portable(libonnxc)
  endif()
  if(NOT ONNXC_LINK_DYLIB)
    set(exports "${PROJECT_SOURCE_DIR}/cmake/libonnxc.map")
    target_link_options(libonnxc PRIVATE "-Wl,--version-script=${exports}")
    set_property(TARGET libonnxc APPEND PROPERTY LINK_DEPENDS "${exports}")
  endif()
  set_property(GLOBAL APPEND PROPERTY ONNXC_TOOLS libonnxc)
endfunction()

# onnxc_add_unittest(<name> <sources>... [LINK ...] [MLIR ...] [NO_PCH])
# A GoogleTest program, run by ctest under its name.
function(onnxc_add_unittest name)
  cmake_parse_arguments(ARG "NO_PCH" "" "LINK;MLIR" ${ARGN})
  find_package(GTest REQUIRED)
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/test/unit")
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gtest GTest::gtest_main)
  onnxc_link_mlir(${name} ${ARG_MLIR})
  if(NOT ARG_NO_PCH)
    onnxc_use_pch(${name})
  endif()
  add_test(NAME ${name} COMMAND ${name})
  set_property(GLOBAL APPEND PROPERTY ONNXC_UNIT_TESTS ${name})
endfunction()

# One precompiled header for the whole project; the top CMakeLists.txt makes it
# once all compile options are set. It has the upstream dialects' headers as well,
# of which a file takes what it asks for: to read them as text took most files
# longer than all else. None of onnxc's own, which change.
function(onnxc_define_pch)
  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/pch/pch.cpp"
       CONTENT "// owner of the precompiled header\n")
  add_library(onnxc_pch STATIC "${PROJECT_BINARY_DIR}/pch/pch.cpp")
  target_precompile_headers(onnxc_pch PRIVATE
    <string> <vector> <memory>
    <mlir/IR/BuiltinOps.h> <mlir/IR/BuiltinTypes.h> <mlir/IR/OpImplementation.h>
    <mlir/IR/Matchers.h> <mlir/IR/PatternMatch.h>
    <mlir/Interfaces/InferTypeOpInterface.h> <mlir/Interfaces/SideEffectInterfaces.h>
    <mlir/Bytecode/BytecodeOpInterface.h> <mlir/Pass/Pass.h> <mlir/Pass/PassManager.h>
    <mlir/Transforms/DialectConversion.h>
    <mlir/Dialect/Affine/IR/AffineOps.h> <mlir/Dialect/Arith/IR/Arith.h>
    <mlir/Dialect/ControlFlow/IR/ControlFlowOps.h> <mlir/Dialect/Func/IR/FuncOps.h>
    <mlir/Dialect/LLVMIR/LLVMDialect.h> <mlir/Dialect/Linalg/IR/Linalg.h>
    <mlir/Dialect/Math/IR/Math.h> <mlir/Dialect/MemRef/IR/MemRef.h>
    <mlir/Dialect/SCF/IR/SCF.h> <mlir/Dialect/Tensor/IR/Tensor.h>
    <mlir/Dialect/Utils/StaticValueUtils.h> <mlir/Dialect/Vector/IR/VectorOps.h>)
  target_compile_options(onnxc_pch PRIVATE -Xclang -fno-pch-timestamp)
endfunction()

# By hand rather than REUSE_FROM: CMake names the header by an absolute path
# behind -Xclang, which keeps ccache from sharing objects between checkouts.
# Does nothing in a build without a precompiled header.
function(onnxc_use_pch target)
  if(NOT ONNXC_PCH)
    return()
  endif()
  set(pch "${PROJECT_BINARY_DIR}/CMakeFiles/onnxc_pch.dir/cmake_pch.hxx.pch")
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
