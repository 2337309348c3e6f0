# SPDX-License-Identifier: MIT
# cmake -DROOT=FOLDER -DOUT=FOLDER -DALL_LANES=ROOMS -DROOMS=ROOMS -DARCHIVES=FILES -DOTHERS=FILES -DNM=PROGRAM -P sources.cmake: the
# sources of an FMU in one folder without folders, as FMI 2.0 and 3.0 want them, for a compiler that is told nothing:
# `cc -shared -fPIC *.c -lm`. They are all sources of ROOMS, whose libraries are ARCHIVES, and the objects of the libraries OTHERS whose
# symbols these need.
#
# room/name.c becomes room_name.c, and its includes follow. A kernel becomes room_name.inc, which one short file for each number of
# lanes includes, because FMI 2.0 cannot give two sets of definitions to one file. Kernels are those of the baseline.
cmake_minimum_required(VERSION 3.25)
set(files)
foreach(room IN LISTS ROOMS)
  file(GLOB found RELATIVE ${ROOT}/src ${ROOT}/src/*/${room}/*.c)
  if(NOT found)
    message(FATAL_ERROR "sources of an FMU: no folder src/*/${room} with sources")
  endif()
  list(APPEND files ${found})
endforeach()
list(REMOVE_ITEM files core/base/build_info.c) # commit and compiler of a build, for the programs' --version

# Sets `out` to the lines "ARCHIVE:OBJECT:... SYMBOL" of nm.
function(list_symbols out)
  execute_process(COMMAND ${NM} -A -g -P ${ARGN} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]+" lines "${text}")
  set(${out} "${lines}" PARENT_SCOPE)
endfunction()

# Where the other libraries define a symbol: symbol_NAME is the object.
list_symbols(defined --defined-only ${OTHERS})
foreach(line IN LISTS defined)
  if(line MATCHES "libali3_([a-z_0-9]+)\\.a\\[([^]]+)\\.o\\]: ([^ ]+) ")
    set(symbol_${CMAKE_MATCH_3} ${CMAKE_MATCH_1}/${CMAKE_MATCH_2})
  endif()
endforeach()
# needs_OBJECT: the symbols that an object of the other libraries does not define.
list_symbols(undefined --undefined-only ${OTHERS})
foreach(line IN LISTS undefined)
  if(line MATCHES "libali3_([a-z_0-9]+)\\.a\\[([^]]+)\\.o\\]: ([^ ]+) ")
    list(APPEND needs_${CMAKE_MATCH_1}/${CMAKE_MATCH_2} ${CMAKE_MATCH_3})
  endif()
endforeach()
# From the symbols of the rooms to the objects, and on to the symbols of these.
list_symbols(undefined --undefined-only ${ARCHIVES})
set(wanted)
foreach(line IN LISTS undefined)
  if(line MATCHES "\\]: ([^ ]+) ")
    list(APPEND wanted ${CMAKE_MATCH_1})
  endif()
endforeach()
list(REMOVE_DUPLICATES wanted)
set(others)
while(wanted)
  list(POP_FRONT wanted symbol)
  set(object ${symbol_${symbol}})
  if(object AND NOT object IN_LIST others)
    list(APPEND others ${object})
    list(APPEND wanted ${needs_${object}})
    file(GLOB found RELATIVE ${ROOT}/src ${ROOT}/src/*/${object})
    if(NOT found)
      message(FATAL_ERROR "sources of an FMU: no file src/*/${object}, which defines ${symbol}")
    endif()
    list(APPEND files ${found})
  endif()
endwhile()

# Arithmetic as in src/flags.cmake: no fused multiplication where the compiler likes one, or bits would depend on it.
set(prelude "/* SPDX-License-Identifier: MIT
 * Part of ali3d, for the compilation of an FMU. Made from src/@file@. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#ifndef NDEBUG
#define NDEBUG
#endif
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize(\"fp-contract=off\")
#endif
")
set(isa_built "#include \"base_isa.h\"\n#define ISA_BUILT(X) X(baseline)\n")

# Sets `name` to the name of wing/room/file.ending in the folder.
macro(flatten file)
  string(REGEX REPLACE "^[^/]+/(.*)$" "\\1" name ${file})
  string(REPLACE "/" "_" name ${name})
endmacro()

# Reads a file below `base` into `text`, with the new names of its includes, and adds its headers to `headers`.
macro(read_source base file)
  file(READ ${base}/${file} text)
  string(REGEX MATCHALL "#include [\"<](ali3/)?[a-z0-9_]+(/[a-z0-9_]+)?\\.h[\">]" found "${text}")
  foreach(line IN LISTS found)
    if(line MATCHES "[\"<](.*/.*)[\">]")
      list(APPEND headers ${CMAKE_MATCH_1})
    endif()
  endforeach()
  string(REGEX REPLACE "#include \"([a-z0-9_]+)/([a-z0-9_]+)\\.h\"" "#include \"\\1_\\2.h\"" text "${text}")
  string(REGEX REPLACE "#include <ali3/([a-z0-9_]+)\\.h>" "#include \"ali3_\\1.h\"" text "${text}")
endmacro()

file(REMOVE_RECURSE ${OUT})
foreach(file IN LISTS files)
  flatten(${file})
  string(CONFIGURE "${prelude}" head @ONLY)
  read_source(${ROOT}/src ${file})
  if(name MATCHES "^(([a-z]+)_.*_lanes)\\.c$")
    set(kernel ${CMAKE_MATCH_1})
    set(widths 1 2)
    if(CMAKE_MATCH_2 IN_LIST ALL_LANES)
      set(widths 2)
    endif()
    file(WRITE ${OUT}/${kernel}.inc "${text}")
    foreach(lanes IN LISTS widths)
      file(WRITE ${OUT}/${kernel}_${lanes}.c "${head}#define LANE_ISA baseline\n#define LANES ${lanes}\n#include \"${kernel}.inc\"\n")
    endforeach()
  else()
    file(WRITE ${OUT}/${name} "${head}${text}")
  endif()
endforeach()

set(done base/isa_built.h)
file(WRITE ${OUT}/base_isa_built.h "${isa_built}")
while(headers)
  list(POP_FRONT headers header)
  if(header IN_LIST done)
    continue()
  endif()
  list(APPEND done ${header})
  file(GLOB found ${ROOT}/src/*/${header} ${ROOT}/include/${header})
  if(NOT found)
    message(FATAL_ERROR "sources of an FMU: no header src/*/${header}")
  endif()
  string(REGEX REPLACE "/${header}$" "" base ${found})
  string(REPLACE "/" "_" name ${header})
  read_source(${base} ${header})
  file(WRITE ${OUT}/${name} "${text}")
endwhile()
configure_file(${ROOT}/LICENSE ${OUT}/LICENSE COPYONLY)
