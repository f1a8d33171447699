# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` writes: headers, both libraries, the CMake package, the pkg-config file. The skerry command
# installs itself (cli/).
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/skerry")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/skerry" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
        FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h")
install(FILES "${PROJECT_SOURCE_DIR}/include/event_machine.h" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/event_machine" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(TARGETS skerry skerry_shared EXPORT skerryTargets
        ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(EXPORT skerryTargets NAMESPACE skerry:: DESTINATION "${package_dir}")

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/skerryConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/skerryConfig.cmake" INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/skerryConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/skerryConfig.cmake" "${PROJECT_BINARY_DIR}/skerryConfigVersion.cmake"
              "${PROJECT_SOURCE_DIR}/cmake/SkerryHwloc.cmake" "${PROJECT_SOURCE_DIR}/cmake/SkerryBoostContext.cmake"
        DESTINATION "${package_dir}")

# For an MPI that this build has not seen: `mpicc -shared` makes its shared object of it.
install(FILES "${PROJECT_SOURCE_DIR}/src/fabric/mpi/skerry_mpi.c" "${PROJECT_SOURCE_DIR}/src/fabric/mpi/calls.h"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/skerry/mpi")

# The prefix stands relative to the file itself, so that an installed tree can be moved.
file(RELATIVE_PATH skerry_pc_prefix "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
configure_file("${PROJECT_SOURCE_DIR}/cmake/skerry.pc.in" "${PROJECT_BINARY_DIR}/skerry.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/skerry.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
