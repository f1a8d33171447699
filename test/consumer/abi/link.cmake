# SPDX-License-Identifier: Apache-2.0
# COMPILER, SOURCE, INCLUDE, LIBRARY, OUTPUT, OTHER, NAMESPACE: links SOURCE with the library, once as it is and once
# compiled with the flag OTHER, which puts it into another ABI namespace. The first must link; the second must not, and
# the linker must name the other namespace.
set(command ${COMPILER} -std=c++20 -I${INCLUDE} ${SOURCE} ${LIBRARY} -o ${OUTPUT})
execute_process(COMMAND ${command} RESULT_VARIABLE same ERROR_VARIABLE output)
if(NOT same EQUAL 0)
  message(FATAL_ERROR "objects of one ABI namespace do not link:\n${output}")
endif()
execute_process(COMMAND ${command} ${OTHER} RESULT_VARIABLE other ERROR_VARIABLE output)
if(other EQUAL 0)
  message(FATAL_ERROR "objects of two ABI namespaces link together")
endif()
if(NOT output MATCHES "undefined reference to `?skerry::${NAMESPACE}::")
  message(FATAL_ERROR "the linker does not name the other ABI namespace:\n${output}")
endif()
