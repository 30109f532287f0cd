# Sourced: the environment in which precompiled headers and ccache get along, for a
# build in the folder $1 of this tree. Checkouts of one machine share their results.

export CCACHE_BASEDIR="$PWD" CCACHE_NOHASHDIR=1
export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
# ccache takes this text for the precompiled header, which has the path of its
# checkout in it: what it is made of is the same in all of them.
export CCACHE_PCH_EXTSUM=1
mkdir -p "$1/CMakeFiles/onnxc_pch.dir"
(clang-22 --version; sed -n '/target_precompile_headers/,/)/p' cmake/AddOnnxc.cmake) >"$1/CMakeFiles/onnxc_pch.dir/cmake_pch.hxx.pch.sum"
