# SPDX-License-Identifier: Apache-2.0
# Compiler settings. skerry_options carries the warnings that this project's own targets are held to. A sanitizer or
# coverage concerns every object of the build, so those flags stand on the folder. None of it reaches an installed
# package.

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(SKERRY_CCACHE ccache)
  if(SKERRY_CCACHE)
    # Relative to the tree, so that a fresh clone elsewhere finds what another one has compiled. The sloppiness is what
    # ccache asks of whoever precompiles headers.
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=1
      CCACHE_SLOPPINESS=pch_defines,time_macros "${SKERRY_CCACHE}")
  endif()
endif()

add_library(skerry_options INTERFACE)
target_compile_features(skerry_options INTERFACE cxx_std_20)
target_compile_options(skerry_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion)
if(SKERRY_WERROR)
  target_compile_options(skerry_options INTERFACE -Werror)
endif()

# skerry_unity(TARGET [SOURCE ...]): its sources are compiled eight at a time, so that what they include is read once for
#   eight. Those named here stay by themselves. The preset `minimal` compiles each by itself, and shows that it can be.
function(skerry_unity target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${SKERRY_UNITY_BUILD} UNITY_BUILD_BATCH_SIZE 8)
  if(ARGN)
    set_source_files_properties(${ARGN} TARGET_DIRECTORY ${target} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
endfunction()

# skerry_parsed_once(NAME HEADER ...): a library of one empty source, and of these headers precompiled. Others take them by
#   target_precompile_headers(TARGET REUSE_FROM NAME) and skerry_with_precompiled(TARGET), if they have its flags. The
#   compiler cache does not keep the headers, for Clang's hold paths of this tree.
function(skerry_parsed_once name)
  file(CONFIGURE OUTPUT ${name}.cpp CONTENT "")
  add_library(${name} OBJECT "${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp")
  target_precompile_headers(${name} PRIVATE ${ARGN})
  set_target_properties(${name} PROPERTIES CXX_COMPILER_LAUNCHER "")
  skerry_with_precompiled(${name})
endfunction()

# What the compiler cache needs to see whether precompiled headers are the same.
function(skerry_with_precompiled target)
  target_compile_options(${target} PRIVATE
    $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess> "$<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>")
endfunction()

# What a user may turn on: the headers and the library's own sources give it no reason, without a pragma (test/headers).
set(skerry_warnings -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wold-style-cast -Wnull-dereference)
set(skerry_gcc_warnings ${skerry_warnings} -Wuseless-cast -Wcast-align=strict)
set(skerry_clang_warnings ${skerry_warnings} -Wcast-align)

set(sanitized NO)
if(SKERRY_SANITIZE)
  set(sanitized YES) # SKERRY_SANITIZE itself may have a comma, which generator expressions do not take
  set(known address thread undefined "address,undefined")
  if(NOT SKERRY_SANITIZE IN_LIST known)
    message(FATAL_ERROR
      "SKERRY_SANITIZE is '${SKERRY_SANITIZE}'; it can be address, thread, undefined, address,undefined, or empty")
  endif()
  set(flags -fsanitize=${SKERRY_SANITIZE} -fno-omit-frame-pointer)
  if(SKERRY_SANITIZE MATCHES undefined)
    list(APPEND flags -fno-sanitize-recover=all)
  endif()
  add_compile_options(${flags})
  if(SKERRY_SANITIZE STREQUAL thread AND CMAKE_CXX_COMPILER_ID STREQUAL Clang)
    # Clang's static runtime leaves no room for a program's own operator new; the shared one does.
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libclang_rt.tsan-${CMAKE_SYSTEM_PROCESSOR}.so
                    OUTPUT_VARIABLE tsan_runtime OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    cmake_path(GET tsan_runtime PARENT_PATH tsan_folder)
    add_link_options(-shared-libsan -Wl,-rpath,${tsan_folder})
  endif()
  add_compile_definitions(SKERRY_SANITIZED)
  add_link_options(${flags})
endif()

if(SKERRY_SANITIZE OR SKERRY_COVERAGE)
  # For tests that try many inputs: every step is several times as slow here.
  add_compile_definitions(SKERRY_SLOW_BUILD)
endif()

# For what must not be counted: simulated programs and their engine, to which a counter is one more access to memory,
# and the models, whose explorer walks millions of states.
add_library(skerry_uncounted INTERFACE)
if(SKERRY_COVERAGE)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL Clang)
    message(FATAL_ERROR "SKERRY_COVERAGE needs Clang")
  endif()
  # Counters are plain by default and lose counts when threads share a line; others are the difference of two.
  add_compile_options(-fprofile-instr-generate -fcoverage-mapping -fprofile-update=atomic)
  add_link_options(-fprofile-instr-generate)
  target_compile_options(skerry_uncounted INTERFACE -fno-profile-instr-generate -fno-coverage-mapping)
endif()
