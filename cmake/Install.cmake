# What `cmake --install` copies, by component:
#
#   Tools    the commands, libonnxc, the C interface of the optimizer, manual
#            pages, completions for shells
#   Runtime  the headers and the portable program that a compiled model needs,
#            the CMake package (find_package(onnxc), onnxc_add_model), pkg-config
#   MLIR     the headers of the dialects, passes and pipelines, for programs and
#            plugins that are built on them (find_package(onnxc COMPONENTS MLIR));
#            not where LLVM and MLIR are inside libonnxc, which has them for itself
#   Wheel    the Python package, with the commands and libonnxc inside; left out
#            unless it is asked for (pyproject.toml)
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
set(library_rpath)
if(NOT ONNXC_STATIC_LLVM)
  set(library_rpath "$ORIGIN")
endif()
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
              "${PROJECT_SOURCE_DIR}/include/onnxc/states.hpp"
        COMPONENT Runtime DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/onnxc")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/share/onnxc" COMPONENT Runtime
        DESTINATION "${CMAKE_INSTALL_DATADIR}")

# Whose code is in libonnxc, and under which licences; known once it is linked.
if(ONNXC_STATIC_LLVM)
  set(ONNXC_NOTICES_DIR "${CMAKE_INSTALL_DATADIR}/doc/onnxc")
  configure_file("${CMAKE_CURRENT_LIST_DIR}/InstallNotices.cmake.in"
                 "${PROJECT_BINARY_DIR}/InstallNotices.cmake" @ONLY)
  install(SCRIPT "${PROJECT_BINARY_DIR}/InstallNotices.cmake" COMPONENT Tools)
endif()

# Headers of the compiler: those of the sources and those that TableGen wrote.
if(ONNXC_LINK_DYLIB)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/onnxc" "${PROJECT_BINARY_DIR}/include/onnxc"
          COMPONENT MLIR DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
          FILES_MATCHING PATTERN "*.h" PATTERN "*.inc" PATTERN "*.td" PATTERN "*.def"
          PATTERN CMakeFiles EXCLUDE)
endif()

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

# The Python package, in one folder (site-packages/onnxc), so that it may be moved
# and removed with it.
if(ONNXC_PYTHON_BINDINGS)
  set_target_properties(onnxc_python PROPERTIES INSTALL_RPATH "$ORIGIN/${CMAKE_INSTALL_LIBDIR};${library_rpath}")
  add_custom_target(onnxc_wheel DEPENDS onnxc_python ${commands})
  install(TARGETS onnxc_python onnxc_python_runtime COMPONENT Wheel EXCLUDE_FROM_ALL LIBRARY DESTINATION onnxc)
  install(TARGETS ${commands} COMPONENT Wheel EXCLUDE_FROM_ALL RUNTIME DESTINATION onnxc/${CMAKE_INSTALL_BINDIR})
  # Archives of wheels have no links: the library under the name it is found by.
  install(FILES "$<TARGET_FILE:libonnxc>" RENAME "$<TARGET_SONAME_FILE_NAME:libonnxc>" COMPONENT Wheel
          EXCLUDE_FROM_ALL DESTINATION "onnxc/${CMAKE_INSTALL_LIBDIR}")
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/python/onnxc/*.py" "${PROJECT_SOURCE_DIR}/python/onnxc/*.pyi"
       "${PROJECT_SOURCE_DIR}/python/onnxc/py.typed")
  install(FILES ${sources} COMPONENT Wheel EXCLUDE_FROM_ALL DESTINATION onnxc)
  install(FILES "${PROJECT_SOURCE_DIR}/python/_onnxc_commands.py" COMPONENT Wheel EXCLUDE_FROM_ALL DESTINATION .)
  install(FILES "${PROJECT_SOURCE_DIR}/include/onnxc/runtime.h" "${PROJECT_SOURCE_DIR}/include/onnxc/profile.h"
          "${PROJECT_SOURCE_DIR}/include/onnxc/onnxc.hpp" "${PROJECT_SOURCE_DIR}/include/onnxc/states.hpp" COMPONENT Wheel EXCLUDE_FROM_ALL DESTINATION "onnxc/${CMAKE_INSTALL_INCLUDEDIR}/onnxc")
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/share/onnxc" COMPONENT Wheel EXCLUDE_FROM_ALL
          DESTINATION "onnxc/${CMAKE_INSTALL_DATADIR}")
  if(ONNXC_STATIC_LLVM)
    set(ONNXC_NOTICES_DIR "onnxc/${CMAKE_INSTALL_DATADIR}/doc/onnxc")
    configure_file("${CMAKE_CURRENT_LIST_DIR}/InstallNotices.cmake.in"
                   "${PROJECT_BINARY_DIR}/InstallNoticesWheel.cmake" @ONLY)
    install(SCRIPT "${PROJECT_BINARY_DIR}/InstallNoticesWheel.cmake" COMPONENT Wheel EXCLUDE_FROM_ALL)
  endif()
endif()

# As part of another project (FetchContent), uninstall is that one's business.
if(PROJECT_IS_TOP_LEVEL)
  add_custom_target(uninstall
    COMMAND "${CMAKE_COMMAND}" "-DMANIFEST=${PROJECT_BINARY_DIR}/install_manifest.txt"
            -P "${CMAKE_CURRENT_LIST_DIR}/Uninstall.cmake"
    VERBATIM)
endif()
