# SPDX-License-Identifier: Apache-2.0
# The target skerry_hwloc. Installed, too: the static library of a package needs it.
if(TARGET skerry_hwloc)
  return()
endif()
find_path(SKERRY_HWLOC_INCLUDE hwloc.h)
find_library(SKERRY_HWLOC_LIBRARY hwloc)
mark_as_advanced(SKERRY_HWLOC_INCLUDE SKERRY_HWLOC_LIBRARY)
if(NOT SKERRY_HWLOC_INCLUDE OR NOT SKERRY_HWLOC_LIBRARY)
  message(FATAL_ERROR "Skerry needs hwloc, and finds no hwloc.h or no libhwloc. On Debian its package is libhwloc-dev; "
                      "elsewhere, CMAKE_PREFIX_PATH may name its prefix")
endif()
add_library(skerry_hwloc UNKNOWN IMPORTED GLOBAL)
set_target_properties(skerry_hwloc PROPERTIES IMPORTED_LOCATION "${SKERRY_HWLOC_LIBRARY}"
                                              INTERFACE_INCLUDE_DIRECTORIES "${SKERRY_HWLOC_INCLUDE}")
