# SPDX-License-Identifier: MIT
# The flags of compiler and linker, each with its reason. No other file sets flags for more than one program.
include(CheckCCompilerFlag)

# ---- Language

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)             # -std=c11: no GNU extensions by accident
add_compile_definitions(_GNU_SOURCE)    # the library's: processor affinity, accept4, pipe2, recvmmsg
set(CMAKE_POSITION_INDEPENDENT_CODE ON) # libali3 can become part of a shared object; programs load at a random address

# ---- Warnings

add_compile_options(
  -Wall -Wextra
  -Wshadow             # an inner name that hides an outer one is a mistake in waiting
  -Wstrict-prototypes  # f() takes no arguments rather than any
  -Wmissing-prototypes # a function is static, or a header declares it
  -Wvla                # the stack of a loop thread has a bound (tests/lint/stack.py)
  -Wformat=2           # a format is a literal that the compiler checks
  -Wundef)             # a misspelt macro in #if is no silent 0
if(ALI3_WERROR)
  add_compile_options(-Werror) # tests/run; users' compilers may know warnings that ours does not
endif()
# For src/ alone: a quarter of the smallest stack of a thread, the 128 KB of Modbus. Larger objects belong on the heap.
# tests/lint/stack.py adds up whole chains of calls. A sanitizer makes larger frames by itself.
set(ali3_flags_src "")
if(NOT ALI3_SANITIZE)
  set(ali3_flags_src -Wframe-larger-than=32768)
endif()

# ---- Build types

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Debug, RelWithDebInfo or Release" FORCE)
endif()
# -O3: the kernels need its vectorisation. One level for all sources gives all copies of inlined code equal bits.
# -g1: functions and lines for perf, gdb and core files. At -O3 most variables are gone, and describing them takes a sixth of a build.
set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O3 -g1 -DNDEBUG")
set(CMAKE_C_FLAGS_RELEASE "-O3 -DNDEBUG")
# Debug has assertions. It keeps -O3 in the kernels (ali3_flags_kernels): without it a step takes a hundred times as long.
set(CMAKE_C_FLAGS_DEBUG "-Og -g")

# Sources of tests are compiled once and run once: a low level halves the time to compile them, and changes no bit (below).
set(ali3_flags_tests "")
if(CMAKE_BUILD_TYPE STREQUAL "RelWithDebInfo")
  set(ali3_flags_tests -O1)
endif()

# ---- Arithmetic

# Equal sources give equal bits in the plain and in the vector code of one build. So there is no -ffast-math: sums keep
# their order, and checks for NaN keep their meaning.
add_compile_options(
  -ffp-contract=off   # fused multiplications only where a source asks for them (math/num.h)
  -fno-math-errno     # sqrt is one instruction; nobody reads errno after it. Changes no result
  -fno-trapping-math) # an if may become a select; nobody enables traps. Changes no result

# ---- Hardening

# For all code but the kernels, which touch no byte from outside. A write behind an array on the stack, or behind an object whose
# size the compiler knows, ends the program in place of its caller's return address. Changes no result.
set(ali3_flags_hardened "")
if(NOT ALI3_SANITIZE AND NOT ALI3_FUZZ)
  set(ali3_flags_hardened
      -fstack-protector-strong
      -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2) # -U: some compilers define it by themselves
endif()

# ---- Kernels: src/LAYER/*_lanes.c

# Each kernel is compiled for every instruction set of src/core/base/isa.h, with one lane and with all of its lanes (doubles
# side by side; isa.h has the same numbers). Bits are equal within an instruction set, not across.
set(ALI3_ISAS all CACHE STRING "instruction sets of the kernels: all, host (the best of this machine alone: a quicker build), or names")
set(ali3_isas baseline)
set(ali3_lanes_baseline 2)
set(ali3_flags_baseline "")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|amd64|AMD64")
  list(APPEND ali3_isas avx2 avx512)
  set(ali3_lanes_avx2 4)
  set(ali3_flags_avx2 -mavx2 -mfma -DNUM_FUSED) # math/num.h
  set(ali3_lanes_avx512 8)
  set(ali3_flags_avx512 ${ali3_flags_avx2} -mavx512f -mavx512dq -mavx512vl
      -mprefer-vector-width=512) # the compiler's default is 256, half of the lanes
endif()
if(ALI3_ISAS STREQUAL "host")
  file(STRINGS /proc/cpuinfo ali3_cpu LIMIT_COUNT 1 REGEX "^flags")
  if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|amd64|AMD64" OR NOT ali3_cpu MATCHES " avx2 " OR NOT ali3_cpu MATCHES " fma ")
    set(ali3_isas baseline)
  elseif(ali3_cpu MATCHES " avx512f " AND ali3_cpu MATCHES " avx512dq " AND ali3_cpu MATCHES " avx512vl( |$)")
    set(ali3_isas avx512)
  else()
    set(ali3_isas avx2)
  endif()
elseif(NOT ALI3_ISAS STREQUAL "all")
  foreach(isa IN LISTS ALI3_ISAS)
    if(NOT isa IN_LIST ali3_isas)
      message(FATAL_ERROR "ALI3_ISAS: expected all, host or names from ${ali3_isas}, found ${isa}")
    endif()
  endforeach()
  set(ali3_isas ${ALI3_ISAS})
endif()
# base/isa_built.h: the kernels that this build has.
list(TRANSFORM ali3_isas REPLACE "(.+)" "X(\\1)" OUTPUT_VARIABLE ali3_isas_built)
list(JOIN ali3_isas_built " " ali3_isas_built)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/base/isa_built.h CONTENT
     "/* Made by src/flags.cmake from ALI3_ISAS. */\n#include \"base/isa.h\"\n#define ISA_BUILT(X) @ali3_isas_built@\n" @ONLY)
set(ali3_flags_kernels -fno-stack-protector) # also where a distribution's flags ask for it
if(CMAKE_BUILD_TYPE STREQUAL "Debug")
  list(APPEND ali3_flags_kernels -O3)
elseif(CMAKE_BUILD_TYPE STREQUAL "RelWithDebInfo") # lines, no variables: places of variables in flat loops take a third of
  list(APPEND ali3_flags_kernels -g1)              # the time to compile, and gdb says "optimized out" of most of them
endif()
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
  list(APPEND ali3_flags_kernels
       -fno-tree-loop-distribute-patterns       # a loop over a few vectors is no call of memset
       --param=max-completely-peeled-insns=4000 # loops over the rows of a link are laid out flat
       --param=max-completely-peel-times=64
       # Kernels consist of small functions over vectors in memory. A call stores and reloads them, since the caller keeps no
       # vector register over it. Without limits only functions with `noinline` are called, and a step takes 2 to 8 % less.
       --param=max-inline-insns-auto=2000 --param=max-inline-insns-single=5000 --param=inline-unit-growth=3000
       --param=large-unit-insns=200000 --param=large-function-insns=50000 --param=large-function-growth=3000
       --param=large-stack-frame=20000 --param=large-stack-frame-growth=20000)
endif()

# ali3-bench measures the processor with plain code: a vectorised calibration would follow the compiler, not the machine.
set(ali3_flags_calibration -fno-tree-vectorize -fno-tree-slp-vectorize)

# ---- Sanitizers

if(ALI3_SANITIZE)
  add_compile_options(-fsanitize=${ALI3_SANITIZE}
                      -fno-sanitize-recover=all # a finding ends the test
                      -fno-omit-frame-pointer   # whole call chains in the report
                      $<$<C_COMPILER_ID:GNU>:-Wno-format-truncation>) # checks hide ranges of numbers: its guesses of lengths are off
  add_link_options(-fsanitize=${ALI3_SANITIZE})
  list(APPEND ali3_flags_kernels
       -O1 # instrumented at -O2, a flat loop takes minutes a file; at -O1 it takes seconds
       $<$<C_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>) # there gcc does not see that a loop over the lanes fills a vector
endif()
if(ALI3_FUZZ)
  add_compile_options(-O0 -g1) # a build takes half the time of -O1, more than the runs of the tests lose; -g1: lines in traces
  list(APPEND ali3_flags_kernels -O1 -fno-sanitize=all) # only state runs a kernel
endif()
set(ali3_flags_fuzz -fsanitize=fuzzer) # compiler and linker, of programs with LLVMFuzzerTestOneInput: libFuzzer's main()

# ---- Linker

add_link_options(
  -Wl,-z,now    # every symbol is bound at the start: no lookup, no lock in the loop's first cycle
  -Wl,-z,relro) # tables of pointers are read-only afterwards
include(CheckPIESupported)
check_pie_supported(LANGUAGES C) # programs of position-independent code are linked so that they load at a random address

# ---- For checks

check_c_compiler_flag(-fstack-usage ALI3_HAVE_STACK_USAGE)
if(ALI3_HAVE_STACK_USAGE)
  add_compile_options(-fstack-usage) # NAME.su beside every object, for tests/lint/stack.py
endif()
