# SPDX-License-Identifier: Apache-2.0
# skerry_add_test(NAME n SOURCES a.cpp ... [LIBS ...] [LABELS ...] [ARGS ...] [ENV VAR=value ...] [TIMEOUT seconds]
#                 [NO_GTEST])
#   One executable and one test of the same name. It sees src/ and links the static library. gmock_main supplies main()
#   unless NO_GTEST is given; a property test adds `rapidcheck` to LIBS. TIMEOUT is 120 s unless told otherwise. The
#   labels `long` and `tools` keep a test out of the sanitizer and coverage presets; the label `serial` runs it while
#   no other test runs.
function(skerry_add_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "NO_GTEST" "NAME;TIMEOUT" "SOURCES;LIBS;LABELS;ARGS;ENV")
  if(NOT arg_NAME OR NOT arg_SOURCES OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "skerry_add_test: NAME and SOURCES are needed; not understood: '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  add_executable(${arg_NAME} ${arg_SOURCES})
  target_link_libraries(${arg_NAME} PRIVATE skerry_options skerry_private skerry ${arg_LIBS})
  target_compile_options(${arg_NAME} PRIVATE ${SKERRY_TEST_FLAGS})
  if(NOT arg_NO_GTEST)
    target_link_libraries(${arg_NAME} PRIVATE GTest::gmock_main)
  endif()
  add_test(NAME ${arg_NAME} COMMAND ${arg_NAME} ${arg_ARGS})
  skerry_set_test_limits(${arg_NAME} "${arg_TIMEOUT}" "${arg_LABELS}" "${arg_ENV}")
endfunction()

# skerry_add_compile_error_test(NAME n SOURCE a.cpp EXPECT "regex" [MAX_LINES n] [LIBS ...] [LABELS ...])
#   Passes when the compiler rejects SOURCE and its messages match EXPECT. MAX_LINES bounds the lines that say
#   "error:" or "note:". LIBS besides skerry give further include folders.
function(skerry_add_compile_error_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;SOURCE;EXPECT;MAX_LINES" "LIBS;LABELS")
  if(NOT arg_NAME OR NOT arg_SOURCE OR NOT arg_EXPECT OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "skerry_add_compile_error_test: NAME, SOURCE and EXPECT are needed")
  endif()
  cmake_path(ABSOLUTE_PATH arg_SOURCE)
  set(includes "-I${skerry_SOURCE_DIR}/include")
  foreach(lib IN LISTS arg_LIBS)
    list(APPEND includes "-I$<JOIN:$<TARGET_PROPERTY:${lib},INTERFACE_INCLUDE_DIRECTORIES>,;-I>")
  endforeach()
  add_test(NAME ${arg_NAME}
           COMMAND ${CMAKE_COMMAND} "-DCOMPILER=${CMAKE_CXX_COMPILER}" "-DSOURCE=${arg_SOURCE}"
                   "-DEXPECT=${arg_EXPECT}" "-DMAX_LINES=${arg_MAX_LINES}" "-DFLAGS=-std=c++20;${includes}"
                   -P "${skerry_SOURCE_DIR}/cmake/expect_compile_error.cmake")
  skerry_set_test_limits(${arg_NAME} "" "compile_error;${arg_LABELS}" "")
endfunction()

# Time limit, labels and environment of a test that add_test() has made.
function(skerry_set_test_limits name timeout labels env)
  if(NOT timeout)
    set(timeout 120)
  endif()
  math(EXPR timeout "${timeout} * ${SKERRY_TEST_TIMEOUT_FACTOR}")
  set_tests_properties(${name} PROPERTIES TIMEOUT ${timeout} LABELS "${labels}" ENVIRONMENT "${env}")
  if("serial" IN_LIST labels)
    set_tests_properties(${name} PROPERTIES RUN_SERIAL ON)
  endif()
endfunction()
