# LLVM as archives, for builds without its shared library: the target OnnxcLLVM,
# and ONNXC_STATIC_LLVM, which says whether it is so.
#
# Where LLVM was built with a shared library (as Debian's), the archives of MLIR
# and lld are exported as users of that library. A program that has both the
# library and the archives of LLVM registers every option of the command line
# twice, and ends there: so MLIR and lld use OnnxcLLVM instead.

add_library(OnnxcLLVM INTERFACE)
# lld needs LTO, which may need Polly, whose archive may be a package of its own.
if(TARGET Polly)
  get_target_property(polly Polly LOCATION)
  if(NOT EXISTS "${polly}")
    message(STATUS "LLVM's shared library is linked, as its archives need ${polly} "
                   "(Debian: libpolly-${LLVM_VERSION_MAJOR}-dev)")
    target_link_libraries(OnnxcLLVM INTERFACE LLVM)
    return()
  endif()
endif()

# What onnxc, MLIR's translation to LLVM IR, and lld use. lld initializes all
# processors that LLVM was built for.
llvm_map_components_to_libnames(components
  AllTargetsAsmParsers AllTargetsCodeGens AllTargetsDescs AllTargetsDisassemblers
  AllTargetsInfos Analysis AsmParser BitReader BitWriter Core DTLTO FrontendOpenMP
  Instrumentation IPO IRReader Linker LTO MC MCDisassembler Object Option Passes
  Support SupportLSP Target TargetParser TransformUtils)
target_link_libraries(OnnxcLLVM INTERFACE ${components})

get_property(imported DIRECTORY PROPERTY IMPORTED_TARGETS)
foreach(target ${imported})
  get_target_property(libraries ${target} INTERFACE_LINK_LIBRARIES)
  if(libraries)
    # Alone, or in $<LINK_ONLY:LLVM>.
    string(REGEX REPLACE "(^|[;:])LLVM($|[;>])" "\\1OnnxcLLVM\\2" libraries "${libraries}")
    # What LLVM stands on, as archives as well; its solver for Clang's static
    # analyzer is not used.
    if(TARGET zstd::libzstd_static)
      string(REPLACE "zstd::libzstd_shared" "zstd::libzstd_static" libraries "${libraries}")
    endif()
    string(REGEX REPLACE "[^;]*/libz3\\.so" "" libraries "${libraries}")
    set_target_properties(${target} PROPERTIES INTERFACE_LINK_LIBRARIES "${libraries}")
  endif()
endforeach()

set(ONNXC_STATIC_LLVM ON)
# The same sources in another folder are the same programs.
add_compile_options("-ffile-prefix-map=${PROJECT_SOURCE_DIR}=.")
