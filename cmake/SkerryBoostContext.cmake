# SPDX-License-Identifier: Apache-2.0
# The target skerry_boost_context. Installed, too: the static library of a package needs it.
if(TARGET skerry_boost_context)
  return()
endif()
find_path(SKERRY_BOOST_INCLUDE boost/context/detail/fcontext.hpp)
find_library(SKERRY_BOOST_CONTEXT_LIBRARY boost_context)
mark_as_advanced(SKERRY_BOOST_INCLUDE SKERRY_BOOST_CONTEXT_LIBRARY)
if(NOT SKERRY_BOOST_INCLUDE OR NOT SKERRY_BOOST_CONTEXT_LIBRARY)
  message(FATAL_ERROR "Skerry needs Boost.Context, and finds no boost/context/detail/fcontext.hpp or no libboost_context. "
                      "On Debian its package is libboost-context-dev; elsewhere, CMAKE_PREFIX_PATH may name its prefix")
endif()
add_library(skerry_boost_context UNKNOWN IMPORTED GLOBAL)
set_target_properties(skerry_boost_context PROPERTIES IMPORTED_LOCATION "${SKERRY_BOOST_CONTEXT_LIBRARY}"
                                                      INTERFACE_INCLUDE_DIRECTORIES "${SKERRY_BOOST_INCLUDE}")
