# Removes the files that an installation wrote, and the folders of onnxc that are
# empty then.
#
# usage: cmake -DMANIFEST=<build>/install_manifest.txt -P Uninstall.cmake

if(NOT EXISTS "${MANIFEST}")
  message(FATAL_ERROR "${MANIFEST} does not exist: nothing was installed from this build")
endif()
file(STRINGS "${MANIFEST}" files)
foreach(file ${files})
  set(path "$ENV{DESTDIR}${file}")
  if(EXISTS "${path}" OR IS_SYMLINK "${path}")
    file(REMOVE "${path}")
    message(STATUS "removed ${path}")
  endif()
  # Upwards, as long as the folder is onnxc's own and empty.
  get_filename_component(folder "${path}" DIRECTORY)
  while(folder MATCHES "/onnxc(-c)?(/|$)")
    file(GLOB left "${folder}/*")
    if(left OR NOT IS_DIRECTORY "${folder}")
      break()
    endif()
    file(REMOVE_RECURSE "${folder}")
    get_filename_component(folder "${folder}" DIRECTORY)
  endwhile()
endforeach()
file(REMOVE "${MANIFEST}")
