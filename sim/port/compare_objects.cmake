# SPDX-License-Identifier: Apache-2.0
# NATIVE, SIMULATED: the sources of the library for hardware threads and of the one for simulated cores, without its port
# and its fabric. But for the port they must be the same list: one source per protocol and algorithm, and no second
# runtime. SIMULATED_PORT, SIMULATED_FABRIC: what simulated cores have besides. TAKEN: the sources of the library's port
# that are compiled for them as they are. What differs is written here, and nothing else may.
set(stood_for # in the library's port; on simulated cores the files in `beside` stand for them
  cgroup child clock cpu_limits fiber fixed_memory futex large_pages library lock_wait membarrier overflow_scope peer_memory
  plain_memory process sandbox stack_guard thread thread_area thread_call thread_stack topology_reader)
# The driver of a task manager; the event machine, whose cores are threads of a system; ranks of an MPI; devices, which simulated machines have none of.
set(left_out "^(deps/nexus|frontend/event|frontend/kernel|fabric/emulated|fabric/mpi|fabric/opencl)/|^runtime/kernels")
set(beside fabric_sim host policy threads trace)

foreach(list NATIVE SIMULATED SIMULATED_PORT SIMULATED_FABRIC)
  string(REPLACE " " ";" sources "${${list}}")
  list(FILTER sources EXCLUDE REGEX "(unity_[0-9]+_cxx|cmake_pch)") # what CMake adds
  list(TRANSFORM sources REPLACE "^.*/src/" "")
  list(TRANSFORM sources REPLACE "\\.cpp$" "")
  list(SORT sources)
  set(${list} "${sources}")
endforeach()
string(REPLACE " " ";" TAKEN "${TAKEN}")

function(expect_same what found wanted)
  list(SORT found)
  list(SORT wanted)
  if(NOT found STREQUAL wanted)
    message(FATAL_ERROR "${what}:\n  ${found}\nexpected:\n  ${wanted}")
  endif()
endfunction()

list(FILTER NATIVE EXCLUDE REGEX "${left_out}")
set(native_port "${NATIVE}")
list(FILTER native_port INCLUDE REGEX "^base/port/")
list(FILTER NATIVE EXCLUDE REGEX "^base/port/")
list(LENGTH NATIVE count)
if(count LESS 10)
  message(FATAL_ERROR "the list of sources is not what this script expects: '${NATIVE}'")
endif()
expect_same("the library for simulated cores, without its port and fabric" "${SIMULATED}" "${NATIVE}")

set(own ${SIMULATED_PORT} ${SIMULATED_FABRIC})
set(taken "${own}")
list(FILTER taken INCLUDE REGEX "^base/port/")
list(FILTER own EXCLUDE REGEX "^base/port/")
list(TRANSFORM TAKEN PREPEND "base/port/")
expect_same("sources of the port that simulated cores have as they are" "${taken}" "${TAKEN}")
expect_same("what only simulated cores have" "${own}" "${beside}")
list(TRANSFORM stood_for PREPEND "base/port/")
set(known ${taken} ${stood_for})
expect_same("the library's port" "${native_port}" "${known}")
list(LENGTH taken same)
message(STATUS "${count} sources and ${same} of the port, the same")
