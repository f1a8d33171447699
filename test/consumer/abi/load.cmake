# SPDX-License-Identifier: Apache-2.0
# COMPILER, SOURCE, INCLUDE, PAGE, LIBRARY, VERSION, FOLDER: links SOURCE with LIBRARY and starts it in a folder
# of its own beside
#  1. that library: it must run;
#  2. only a library of the next version, under the name that its soname gives it: the loader must refuse and name the
#     version that it misses;
#  3. such a library under the name that the program asks for, as if somebody had linked the one to the other: the loader
#     must refuse before main() and name the namespace whose page it misses.
# The library of the next version has PAGE alone, the source of the page that a fork reaches: the loader says no as soon
# as it misses one name.
math(EXPR next "${VERSION} + 1")
set(asked "libskerry.so.${VERSION}")
set(program "${FOLDER}/program")
file(REMOVE_RECURSE "${FOLDER}")
file(MAKE_DIRECTORY "${FOLDER}")

function(run_or_stop what)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status ERROR_VARIABLE output OUTPUT_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${what} failed (${status}):\n${output}")
  endif()
endfunction()

# message: what the loader must say. It ends a program that it does not start with 127; main() never returns that.
function(must_not_start how message)
  execute_process(COMMAND "${loader}" --inhibit-cache "${program}" RESULT_VARIABLE status ERROR_VARIABLE output
                  OUTPUT_VARIABLE output)
  if(NOT status EQUAL 127)
    message(FATAL_ERROR "the program starts ${how} (${status}):\n${output}")
  endif()
  if(NOT output MATCHES "${message}")
    message(FATAL_ERROR "${how} the loader does not say '${message}':\n${output}")
  endif()
endfunction()

run_or_stop("linking the program" ${COMPILER} -std=c++20 -I${INCLUDE} ${SOURCE} ${LIBRARY} -Wl,-rpath,${FOLDER} -o ${program})
run_or_stop("making a library of the next version" ${COMPILER} -std=c++20 -I${INCLUDE} -DSKERRY_ABI=v${next}_native -fPIC
            -shared ${PAGE} -Wl,-soname,libskerry.so.${next} -o ${FOLDER}/libskerry.so.${next})

file(CREATE_LINK "${LIBRARY}" "${FOLDER}/${asked}" SYMBOLIC)
run_or_stop("the program beside its own library" "${program}")

# The loader that the program asks for. Called without its cache, it finds no Skerry that is installed on this system.
execute_process(COMMAND readelf --program-headers "${program}" OUTPUT_VARIABLE headers COMMAND_ERROR_IS_FATAL ANY)
if(NOT headers MATCHES "program interpreter: ([^]]+)")
  message(FATAL_ERROR "the program asks for no loader:\n${headers}")
endif()
set(loader "${CMAKE_MATCH_1}")

file(REMOVE "${FOLDER}/${asked}")
must_not_start("beside the next version" "libskerry\\.so\\.${VERSION}: cannot open shared object file")

file(CREATE_LINK "libskerry.so.${next}" "${FOLDER}/${asked}" SYMBOLIC)
must_not_start("with the next version under its own name" "undefined symbol: [^ ]*v${VERSION}_native6detail12current_page")
