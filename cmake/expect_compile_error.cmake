# SPDX-License-Identifier: Apache-2.0
# Script behind skerry_add_compile_error_test: COMPILER, FLAGS, SOURCE, EXPECT, MAX_LINES.
execute_process(COMMAND ${COMPILER} ${FLAGS} -fsyntax-only -fdiagnostics-color=never ${SOURCE}
                RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(result EQUAL 0)
  message(FATAL_ERROR "${SOURCE} compiles; it must not")
endif()
if(NOT output MATCHES "${EXPECT}")
  message(FATAL_ERROR "${SOURCE}: no message matches '${EXPECT}'. The compiler said:\n${output}")
endif()
if(MAX_LINES)
  string(REGEX MATCHALL "(error|note): " lines "${output}")
  list(LENGTH lines count)
  if(count GREATER MAX_LINES)
    message(FATAL_ERROR "${SOURCE}: ${count} errors and notes, more than ${MAX_LINES}. The compiler said:\n${output}")
  endif()
endif()
