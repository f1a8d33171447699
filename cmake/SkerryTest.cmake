# SPDX-License-Identifier: Apache-2.0
# skerry_add_test(NAME n SOURCES a.cpp ... [LIBS ...] [LABELS ...] [ARGS ...] [ENV VAR=value ...] [TIMEOUT seconds]
#                 [NO_GTEST] [OWN_FLAGS] [ONE_THREAD] [UNITY])
#   One executable and one test of the same name. It sees src/ and links the static library. gmock_main supplies main()
#   unless NO_GTEST is given; a property test adds `rapidcheck` to LIBS. TIMEOUT is 120 s unless told otherwise. The
#   label `tools` keeps a test out of the sanitizer presets; the label `serial` runs it while no other test runs.
#   OWN_FLAGS says that the test is compiled with flags that do not fit the precompiled headers; ONE_THREAD that it has
#   one, and nothing that the thread sanitizer could see; UNITY that its sources are compiled together (skerry_unity).
function(skerry_add_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "NO_GTEST;OWN_FLAGS;ONE_THREAD;UNITY" "NAME;TIMEOUT" "SOURCES;LIBS;LABELS;ARGS;ENV")
  if(NOT arg_NAME OR NOT arg_SOURCES OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "skerry_add_test: NAME and SOURCES are needed; not understood: '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  if(arg_ONE_THREAD AND SKERRY_SANITIZE MATCHES "thread")
    return()
  endif()
  add_executable(${arg_NAME} ${arg_SOURCES})
  target_link_libraries(${arg_NAME} PRIVATE skerry_options skerry_private skerry ${arg_LIBS})
  if(arg_OWN_FLAGS)
    skerry_set_test_flags(${arg_NAME})
  else()
    skerry_precompiled_headers(${arg_NAME})
  endif()
  if(NOT arg_NO_GTEST)
    target_link_libraries(${arg_NAME} PRIVATE GTest::gmock_main)
  endif()
  if(arg_UNITY)
    skerry_unity(${arg_NAME})
  endif()
  add_test(NAME ${arg_NAME} COMMAND ${arg_NAME} ${arg_ARGS})
  skerry_set_test_limits(${arg_NAME} "${arg_TIMEOUT}" "${arg_LABELS}" "${arg_ENV}")
endfunction()

# skerry_build_with_seeded(TARGET ...): what tests of the label `seeded` run.
function(skerry_build_with_seeded)
  if(NOT TARGET seeded)
    add_custom_target(seeded)
  endif()
  add_dependencies(seeded ${ARGN})
endfunction()

# skerry_add_seeded_test(NAME n SCRIPT script.py [ARGS ...] [TIMEOUT seconds] TARGETS executable ...)
#   A test that runs programs whose sources have seeded faults, by `script.py run ARGS...`. It tests the tests: `seeded`
#   builds its executables, and they and it have presets of that name; no other preset has them.
function(skerry_add_seeded_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;SCRIPT;TIMEOUT" "ARGS;TARGETS")
  if(NOT arg_NAME OR NOT arg_SCRIPT OR NOT arg_TARGETS OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "skerry_add_seeded_test: NAME, SCRIPT and TARGETS are needed")
  endif()
  set_target_properties(${arg_TARGETS} PROPERTIES EXCLUDE_FROM_ALL ON)
  skerry_build_with_seeded(${arg_TARGETS})
  add_test(NAME ${arg_NAME} COMMAND Python3::Interpreter "${arg_SCRIPT}" run ${arg_ARGS})
  skerry_set_test_limits(${arg_NAME} "${arg_TIMEOUT}" seeded "")
endfunction()

# skerry_precompiled_headers(TARGET): compiled with the flags of every test and with the headers that test/CMakeLists.txt
#   has parsed once.
function(skerry_precompiled_headers target)
  target_precompile_headers(${target} REUSE_FROM skerry_test_headers)
  target_compile_options(${target} PRIVATE $<TARGET_PROPERTY:GTest::gtest,INTERFACE_COMPILE_OPTIONS>)
  skerry_set_test_flags(${target})
endfunction()

# SKERRY_TEST_FLAGS, for what has precompiled headers, too.
function(skerry_set_test_flags target)
  target_compile_options(${target} PRIVATE ${SKERRY_TEST_FLAGS})
  skerry_with_precompiled(${target})
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

# skerry_optimise_sources(SOURCE ...): of this folder; compiled at -O2 in every preset, as those who use them compile
#   forks, whose code is another without (fork.hpp).
function(skerry_optimise_sources)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_PRECOMPILE_HEADERS ON COMPILE_OPTIONS -O2)
endfunction()
