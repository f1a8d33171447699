# SPDX-License-Identifier: Apache-2.0
# COMPILER, SOURCE, INCLUDE, STATIC, SHARED, OUTPUT: a program that a sanitizer watches, with libraries that none does.
#  1. -fsanitize=thread: it does not link with either, and the linker says what to do instead;
#  2. the same of a program that includes one header alone; of the serial elision it links, with no library at all;
#  3. -fsanitize=address,undefined: it links with both and runs.
cmake_path(GET SHARED PARENT_PATH folder)

function(link result output source library)
  execute_process(COMMAND ${COMPILER} -std=c++20 -I${INCLUDE} ${source} ${ARGN} ${library} -lhwloc -lboost_context -pthread
                          -Wl,-rpath,${folder} -o ${OUTPUT}
                  RESULT_VARIABLE status ERROR_VARIABLE said)
  set(${result} ${status} PARENT_SCOPE)
  set(${output} "${said}" PARENT_SCOPE)
endfunction()

# must_not_link(SOURCE LIBRARY FLAG...)
function(must_not_link source library)
  link(status said ${source} ${library} -fsanitize=thread ${ARGN})
  if(status EQUAL 0)
    message(FATAL_ERROR "${source} with -fsanitize=thread links with ${library} (${ARGN})")
  endif()
  if(NOT said MATCHES "fsanitize_thread_needs_a_library_built_with_it__cmake_preset_minimal_tsan__see_docs_guide_sanitizers")
    message(FATAL_ERROR "the linker does not say what ${source} with -fsanitize=thread needs:\n${said}")
  endif()
endfunction()

foreach(library ${STATIC} ${SHARED})
  foreach(dropping -Wl,--no-gc-sections -Wl,--gc-sections)
    must_not_link(${SOURCE} ${library} -ffunction-sections -fdata-sections ${dropping})
  endforeach()

  link(status said ${SOURCE} ${library} -fsanitize=address,undefined)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "a program with -fsanitize=address,undefined does not link with ${library}:\n${said}")
  endif()
  execute_process(COMMAND ${OUTPUT} RESULT_VARIABLE status ERROR_VARIABLE said OUTPUT_VARIABLE said)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "a program with -fsanitize=address,undefined fails with ${library} (${status}):\n${said}")
  endif()
endforeach()

# header|what a program does with it
foreach(use "region|*skerry::root_region().create().make<int>(0)"
            "region|*skerry::region_allocator<int>(skerry::root_region()).allocate(1) = 0"
            "worker_local|skerry::worker_local<int>().local()"
            "launch|skerry::launch(1, {\"true\"}).status"
            "task|skerry::task::spawn(nullptr), 0")
  string(REPLACE "|" ";" use "${use}")
  list(GET use 0 header)
  list(GET use 1 expression)
  set(one ${OUTPUT}_${header}.cpp)
  file(WRITE ${one} "#include <skerry/${header}.hpp>\nint main() { return ${expression}; }\n")
  must_not_link(${one} ${SHARED})
endforeach()

file(WRITE ${OUTPUT}_serial.cpp "#include <skerry/serial.hpp>
int main() { return skerry::serial::parallel_reduce(std::array<int, 2>{}, 0); }\n")
link(status said ${OUTPUT}_serial.cpp "" -fsanitize=thread)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "a program of the serial elision with -fsanitize=thread needs a library:\n${said}")
endif()
