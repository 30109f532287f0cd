# onnxc_add_model(<name> <model.onnx>
#                 [SHARED | STATIC | OBJECT]     # default: STATIC
#                 [PREFIX <prefix>]              # of the symbols; default: <name>
#                 [CPU <processor>...]           # as --mcpu; default: portable
#                 [TRIPLE <triple>]              # default: the machine's own
#                 [DIM <name>=<size or range>...] [SHAPE <input>:<sizes>...]
#                 [OPTIONS <option>...]          # further ones of `onnxc`
#                 [DEPENDS <file>...])           # weights beside the model, say
#
# Makes a target <name> to link with, for which the build compiles the model:
#
#   find_package(onnxc REQUIRED)
#   onnxc_add_model(digits mnist.onnx)
#   add_executable(app main.c)                   # includes "digits.h"
#   target_link_libraries(app PRIVATE digits)
#
# The header is <name>.h, the functions are <prefix>_create and so on. The model
# is compiled again when its file, files with its weights that are named by
# DEPENDS, the options or the compiler change. Relative paths are those of the
# current source directory.
#
# When cross compiling, TRIPLE defaults to CMAKE_C_COMPILER_TARGET, and without it
# to what CMAKE_SYSTEM_NAME and CMAKE_SYSTEM_PROCESSOR say. PREFIX is checked when
# CMake runs, and so are TRIPLE and CPU, if onnxc was built before. A SHARED model is found by programs in the build tree through its
# absolute path; install it by install(FILES $<TARGET_FILE:name> ...).

# The triple of the system that is compiled for.
function(_onnxc_cross_triple name result)
  if(CMAKE_C_COMPILER_TARGET)
    set(${result} "${CMAKE_C_COMPILER_TARGET}" PARENT_SCOPE)
    return()
  endif()
  string(TOLOWER "${CMAKE_SYSTEM_PROCESSOR}" processor)
  if(processor MATCHES "^(amd64|x64|x86_64)$")
    set(processor x86_64)
  elseif(processor MATCHES "^(arm64|aarch64)$")
    set(processor aarch64)
  endif()
  set(triple)
  if(CMAKE_SYSTEM_NAME STREQUAL "Linux" AND processor MATCHES "^(x86_64|aarch64|riscv64)$")
    set(triple "${processor}-linux-gnu")
  elseif(CMAKE_SYSTEM_NAME STREQUAL "Darwin" AND processor STREQUAL "aarch64")
    set(triple "arm64-apple-macos")
  elseif(CMAKE_SYSTEM_NAME STREQUAL "Darwin" AND processor STREQUAL "x86_64")
    set(triple "x86_64-apple-macos")
  elseif(CMAKE_SYSTEM_NAME STREQUAL "Windows" AND processor MATCHES "^(x86_64|aarch64)$")
    if(MINGW)
      set(triple "${processor}-w64-mingw32")
    else()
      set(triple "${processor}-pc-windows-msvc")
    endif()
  elseif(CMAKE_SYSTEM_NAME STREQUAL "WASI")
    set(triple "wasm32-wasi")
  endif()
  if(NOT triple)
    message(FATAL_ERROR "onnxc_add_model(${name}): no triple is known for CMAKE_SYSTEM_NAME '${CMAKE_SYSTEM_NAME}' and "
                        "CMAKE_SYSTEM_PROCESSOR '${CMAKE_SYSTEM_PROCESSOR}'; give TRIPLE ('onnxc targets' lists what there is)")
  endif()
  set(${result} "${triple}" PARENT_SCOPE)
endfunction()

# Stops at a triple, a processor or a feature that onnxc does not know, where the
# program is there already: in a build of onnxc itself it is made later.
function(_onnxc_check_target name triple cpus)
  if(NOT TARGET onnxc::onnxc)
    return()
  endif()
  get_target_property(program onnxc::onnxc LOCATION)
  if(NOT EXISTS "${program}")
    return()
  endif()
  # Once for each triple.
  get_property(known GLOBAL PROPERTY "onnxc_target_${triple}")
  if(NOT known)
    set(question --list-features)
    if(triple)
      set(question targets ${triple})
    endif()
    execute_process(COMMAND "${program}" ${question} RESULT_VARIABLE status OUTPUT_VARIABLE known ERROR_VARIABLE error)
    if(NOT status EQUAL 0)
      string(STRIP "${error}" error)
      message(FATAL_ERROR "onnxc_add_model(${name}): TRIPLE ${triple}: ${error}")
    endif()
    set_property(GLOBAL PROPERTY "onnxc_target_${triple}" "${known}")
  endif()
  foreach(cpu ${cpus})
    string(REPLACE "+" ";" parts "${cpu}")
    list(POP_FRONT parts processor)
    string(FIND "${known}" "\n  ${processor}\n" found)
    if(found EQUAL -1 AND NOT processor MATCHES "^(native|portable|generic)$")
      message(FATAL_ERROR "onnxc_add_model(${name}): CPU ${cpu}: '${processor}' is not a processor; 'onnxc targets ${triple}' lists all")
    endif()
    foreach(feature ${parts})
      if(NOT known MATCHES "\n[ *] ${feature} ")
        message(FATAL_ERROR "onnxc_add_model(${name}): CPU ${cpu}: '${feature}' is not a feature; 'onnxc targets ${triple}' lists all")
      endif()
    endforeach()
  endforeach()
endfunction()

function(onnxc_add_model name model)
  cmake_parse_arguments(PARSE_ARGV 2 ARG "SHARED;STATIC;OBJECT" "PREFIX;TRIPLE"
                        "CPU;DIM;SHAPE;OPTIONS;DEPENDS")
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "onnxc_add_model(${name}): unexpected argument '${ARG_UNPARSED_ARGUMENTS}'")
  endif()
  if(ARG_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "onnxc_add_model(${name}): '${ARG_KEYWORDS_MISSING_VALUES}' needs a value")
  endif()
  set(kinds)
  foreach(kind SHARED STATIC OBJECT)
    if(ARG_${kind})
      list(APPEND kinds ${kind})
    endif()
  endforeach()
  list(LENGTH kinds count)
  if(count GREATER 1)
    message(FATAL_ERROR "onnxc_add_model(${name}): expected one of SHARED, STATIC and OBJECT, have ${kinds}")
  elseif(count EQUAL 0)
    set(kinds STATIC)
  endif()
  foreach(target ${name} ${name}_files)
    if(TARGET ${target})
      message(FATAL_ERROR "onnxc_add_model(${name}): there is a target '${target}' already; give the model another name")
    endif()
  endforeach()
  get_filename_component(model "${model}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
  if(NOT EXISTS "${model}")
    # It may be made by the build.
    get_source_file_property(generated "${model}" GENERATED)
    if(NOT generated)
      message(FATAL_ERROR "onnxc_add_model(${name}): the model ${model} does not exist")
    endif()
  endif()

  if(NOT ARG_PREFIX)
    string(MAKE_C_IDENTIFIER "${name}" ARG_PREFIX)
  elseif(NOT ARG_PREFIX MATCHES "^[A-Za-z_][A-Za-z0-9_]*$")
    message(FATAL_ERROR "onnxc_add_model(${name}): PREFIX '${ARG_PREFIX}' is not a C identifier")
  endif()
  if(NOT ARG_TRIPLE AND CMAKE_CROSSCOMPILING)
    _onnxc_cross_triple(${name} ARG_TRIPLE)
  endif()
  _onnxc_check_target(${name} "${ARG_TRIPLE}" "${ARG_CPU}")

  set(suffix_SHARED .so)
  set(suffix_STATIC .a)
  set(suffix_OBJECT .o)
  if(ARG_TRIPLE MATCHES "-msvc$")
    set(suffix_STATIC .lib)
    set(suffix_OBJECT .obj)
  endif()
  if(kinds STREQUAL "SHARED" AND ARG_TRIPLE MATCHES "windows|mingw|apple|darwin|wasm")
    message(FATAL_ERROR "onnxc_add_model(${name}): onnxc links shared libraries for Linux alone, not for ${ARG_TRIPLE}; expected STATIC or OBJECT")
  endif()
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${name}.model")
  set(compiled "${folder}/${name}${suffix_${kinds}}")
  set(output "${compiled}")
  set(rename)
  if(kinds STREQUAL "SHARED")
    # Linkers look for -lNAME under this name, by which programs load it then:
    # what onnxc writes has no name of its own (DT_SONAME).
    set(output "${folder}/lib${name}.so")
    set(rename COMMAND "${CMAKE_COMMAND}" -E rename "${compiled}" "${output}")
  endif()
  set(header "${folder}/${name}.h")
  file(MAKE_DIRECTORY "${folder}")
  set(command "--prefix=${ARG_PREFIX}")
  if(ARG_CPU)
    list(JOIN ARG_CPU "," cpu)
    list(APPEND command "--mcpu=${cpu}")
  endif()
  if(ARG_TRIPLE)
    list(APPEND command "--mtriple=${ARG_TRIPLE}")
  endif()
  foreach(dim ${ARG_DIM})
    list(APPEND command "--dim=${dim}")
  endforeach()
  foreach(shape ${ARG_SHAPE})
    list(APPEND command "--shape=${shape}")
  endforeach()
  set(depends)
  foreach(file ${ARG_DEPENDS})
    get_filename_component(file "${file}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
    list(APPEND depends "${file}")
  endforeach()

  # By its own name where onnxc is a part of this build (FetchContent).
  set(compiler onnxc::onnxc)
  if(NOT TARGET onnxc::onnxc)
    set(compiler onnxc)
  endif()
  add_custom_command(
    OUTPUT "${output}" "${header}"
    COMMAND "$<TARGET_FILE:${compiler}>" "${model}" -o "${compiled}" ${command} ${ARG_OPTIONS}
    ${rename}
    DEPENDS "${model}" ${depends} ${compiler} "$<TARGET_FILE:${compiler}>"
    COMMENT "Compiling the model ${name}"
    VERBATIM)
  add_custom_target(${name}_files DEPENDS "${output}" "${header}")

  if(kinds STREQUAL "OBJECT")
    add_library(${name} INTERFACE)
    target_sources(${name} INTERFACE "${output}")
    set_source_files_properties("${output}" PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  else()
    add_library(${name} ${kinds} IMPORTED GLOBAL)
    set_target_properties(${name} PROPERTIES IMPORTED_LOCATION "${output}")
    if(kinds STREQUAL "SHARED")
      set_target_properties(${name} PROPERTIES IMPORTED_NO_SONAME ON)
    endif()
  endif()
  add_dependencies(${name} ${name}_files)
  if(TARGET onnxc::runtime)
    set(runtime onnxc::runtime)
  else()
    set(runtime onnxc_runtime_headers)
  endif()
  target_link_libraries(${name} INTERFACE ${runtime})
  target_include_directories(${name} INTERFACE "${folder}")
  # A shared model names what it needs itself. Code for machines without an
  # operating system needs nothing.
  if(NOT kinds STREQUAL "SHARED" AND NOT "--freestanding" IN_LIST ARG_OPTIONS)
    find_package(Threads REQUIRED)
    target_link_libraries(${name} INTERFACE Threads::Threads m)
  endif()
endfunction()
