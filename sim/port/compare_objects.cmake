# SPDX-License-Identifier: Apache-2.0
# NATIVE, SIMULATED: the objects of the library for hardware threads and of the one for simulated cores. But for the port
# they must be the same list: one source per protocol and algorithm, and no second runtime.
foreach(list NATIVE SIMULATED)
  string(REPLACE " " ";" objects "${${list}}")
  list(TRANSFORM objects REPLACE "^.*\\.dir/(\\./)?(__/__/src/)?" "")
  list(FILTER objects EXCLUDE REGEX "^base/port/")
  list(SORT objects)
  set(${list} "${objects}")
endforeach()
list(LENGTH NATIVE count)
if(count LESS 10)
  message(FATAL_ERROR "the list of objects is not what this script expects: '${NATIVE}'")
endif()
if(NOT NATIVE STREQUAL SIMULATED)
  message(FATAL_ERROR "two libraries:\n  ${NATIVE}\n  ${SIMULATED}")
endif()
message(STATUS "${count} objects, the same")
