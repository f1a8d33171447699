# SPDX-License-Identifier: Apache-2.0
# COMPILER, SOURCE, INCLUDE, STATIC, SHARED, OUTPUT: a program that a sanitizer watches, with libraries that none does.
#  1. -fsanitize=thread: it does not link with either, and the linker says what to do instead;
#  2. -fsanitize=address,undefined: it links with both and runs.
cmake_path(GET SHARED PARENT_PATH folder)

function(link result output library)
  execute_process(COMMAND ${COMPILER} -std=c++20 -I${INCLUDE} ${SOURCE} ${ARGN} ${library} -lhwloc -pthread
                          -Wl,-rpath,${folder} -o ${OUTPUT}
                  RESULT_VARIABLE status ERROR_VARIABLE said)
  set(${result} ${status} PARENT_SCOPE)
  set(${output} "${said}" PARENT_SCOPE)
endfunction()

foreach(library ${STATIC} ${SHARED})
  foreach(dropping -Wl,--no-gc-sections -Wl,--gc-sections)
    link(status said ${library} -fsanitize=thread -ffunction-sections -fdata-sections ${dropping})
    if(status EQUAL 0)
      message(FATAL_ERROR "a program with -fsanitize=thread links with ${library} (${dropping})")
    endif()
    if(NOT said MATCHES "fsanitize_thread_needs_a_library_built_with_it__cmake_preset_minimal_tsan__see_docs_guide_sanitizers")
      message(FATAL_ERROR "the linker does not say what a program with -fsanitize=thread needs:\n${said}")
    endif()
  endforeach()

  link(status said ${library} -fsanitize=address,undefined)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "a program with -fsanitize=address,undefined does not link with ${library}:\n${said}")
  endif()
  execute_process(COMMAND ${OUTPUT} RESULT_VARIABLE status ERROR_VARIABLE said OUTPUT_VARIABLE said)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "a program with -fsanitize=address,undefined fails with ${library} (${status}):\n${said}")
  endif()
endforeach()
