# SPDX-License-Identifier: Apache-2.0
# Compiler settings. skerry_options carries what every target of this build shares; none of it reaches an installed
# package, so a consumer's own flags are never touched.

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(SKERRY_CCACHE ccache)
  if(SKERRY_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${SKERRY_CCACHE}")
  endif()
endif()

add_library(skerry_options INTERFACE)
target_compile_features(skerry_options INTERFACE cxx_std_20)
target_compile_options(skerry_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion)
if(SKERRY_WERROR)
  target_compile_options(skerry_options INTERFACE -Werror)
endif()

if(SKERRY_SANITIZE)
  set(known address thread undefined)
  if(NOT SKERRY_SANITIZE IN_LIST known)
    message(FATAL_ERROR "SKERRY_SANITIZE is '${SKERRY_SANITIZE}'; it can be address, thread, undefined, or empty")
  endif()
  set(flags -fsanitize=${SKERRY_SANITIZE} -fno-omit-frame-pointer)
  if(SKERRY_SANITIZE STREQUAL undefined)
    list(APPEND flags -fno-sanitize-recover=all)
  endif()
  target_compile_options(skerry_options INTERFACE ${flags})
  target_link_options(skerry_options INTERFACE ${flags})
endif()

if(SKERRY_COVERAGE)
  # Counters are plain by default and lose counts, or crash gcov with negative ones, when threads share a line.
  target_compile_options(skerry_options INTERFACE --coverage -fprofile-update=atomic -fprofile-abs-path)
  target_link_options(skerry_options INTERFACE --coverage)
endif()
