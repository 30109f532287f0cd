# What `cmake --install` copies, by component:
#
#   Tools    the commands, libonnxc, the C interface of the optimizer, manual
#            pages, completions for shells
#   Runtime  the headers and the portable program that a compiled model needs,
#            the CMake package (find_package(onnxc), onnxc_add_model), pkg-config
#   MLIR     the headers of the dialects, passes and pipelines, for programs and
#            plugins that are built on them (find_package(onnxc COMPONENTS MLIR))
#
# The folder may be moved: programs find libonnxc by their own place, the CMake
# package and pkg-config's file by theirs. `ninja uninstall` removes what the
# last `cmake --install` of this build wrote.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/onnxc")

# The way from a folder of the installation to another, for $ORIGIN.
file(RELATIVE_PATH lib_from_bin "/${CMAKE_INSTALL_BINDIR}" "/${CMAKE_INSTALL_LIBDIR}")
get_property(tools GLOBAL PROPERTY ONNXC_TOOLS)
foreach(tool ${tools})
  get_target_property(type ${tool} TYPE)
  if(type STREQUAL "EXECUTABLE")
    list(APPEND commands ${tool})
  endif()
endforeach()
# Shared libraries of LLVM and MLIR are where they were found.
set(rpath "$ORIGIN/${lib_from_bin}")
set(library_rpath "$ORIGIN")
if(ONNXC_LINK_DYLIB)
  list(APPEND rpath "${LLVM_LIBRARY_DIR}")
  list(APPEND library_rpath "${LLVM_LIBRARY_DIR}")
endif()
set_target_properties(${commands} PROPERTIES INSTALL_RPATH "${rpath}")
set_target_properties(libonnxc PROPERTIES INSTALL_RPATH "${library_rpath}")

install(TARGETS ${commands} EXPORT onnxcTargets COMPONENT Tools)
install(TARGETS libonnxc EXPORT onnxcTargets
        LIBRARY COMPONENT Tools NAMELINK_COMPONENT Tools
        INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/onnxc-c" COMPONENT Tools
        DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/NOTICE"
              "${PROJECT_SOURCE_DIR}/THIRD_PARTY.md" COMPONENT Tools
        DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/onnxc")

# Where man, bash-completion, zsh and fish look for them.
install(DIRECTORY "${PROJECT_SOURCE_DIR}/share/man/" COMPONENT Tools
        DESTINATION "${CMAKE_INSTALL_MANDIR}")
foreach(folder bash-completion zsh fish)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/share/${folder}" COMPONENT Tools
          DESTINATION "${CMAKE_INSTALL_DATADIR}")
endforeach()

# What models and the programs that call them need.
add_library(onnxc_runtime_headers INTERFACE)
set_target_properties(onnxc_runtime_headers PROPERTIES EXPORT_NAME runtime)
target_include_directories(onnxc_runtime_headers INTERFACE
  "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
  "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
install(TARGETS onnxc_runtime_headers EXPORT onnxcTargets COMPONENT Runtime)
install(FILES "${PROJECT_SOURCE_DIR}/include/onnxc/runtime.h"
              "${PROJECT_SOURCE_DIR}/include/onnxc/profile.h"
              "${PROJECT_SOURCE_DIR}/include/onnxc/onnxc.hpp"
        COMPONENT Runtime DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/onnxc")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/share/onnxc" COMPONENT Runtime
        DESTINATION "${CMAKE_INSTALL_DATADIR}")

# Headers of the compiler: those of the sources and those that TableGen wrote.
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/onnxc" "${PROJECT_BINARY_DIR}/include/onnxc"
        COMPONENT MLIR DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
        FILES_MATCHING PATTERN "*.h" PATTERN "*.inc" PATTERN "*.td" PATTERN "*.def"
        PATTERN CMakeFiles EXCLUDE)

# The CMake package.
configure_package_config_file(
  "${CMAKE_CURRENT_LIST_DIR}/onnxcConfig.cmake.in" "${PROJECT_BINARY_DIR}/onnxcConfig.cmake"
  INSTALL_DESTINATION "${package_dir}" NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/onnxcConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(EXPORT onnxcTargets NAMESPACE onnxc:: COMPONENT Runtime DESTINATION "${package_dir}")
install(FILES "${PROJECT_BINARY_DIR}/onnxcConfig.cmake"
              "${PROJECT_BINARY_DIR}/onnxcConfigVersion.cmake"
              "${CMAKE_CURRENT_LIST_DIR}/OnnxcAddModel.cmake"
        COMPONENT Runtime DESTINATION "${package_dir}")

# pkg-config, with the folders as seen from its own file.
file(RELATIVE_PATH root_from_pkgconfig "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file("${CMAKE_CURRENT_LIST_DIR}/onnxc.pc.in" "${PROJECT_BINARY_DIR}/onnxc.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/onnxc.pc" COMPONENT Runtime
        DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

# As part of another project (FetchContent), uninstall is that one's business.
if(PROJECT_IS_TOP_LEVEL)
  add_custom_target(uninstall
    COMMAND "${CMAKE_COMMAND}" "-DMANIFEST=${PROJECT_BINARY_DIR}/install_manifest.txt"
            -P "${CMAKE_CURRENT_LIST_DIR}/Uninstall.cmake"
    VERBATIM)
endif()
