# SPDX-License-Identifier: Apache-2.0
# `make package`: a .deb of what is installed, by CPack.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME skerry)
set(CPACK_PACKAGE_VENDOR "the Skerry project")
set(CPACK_PACKAGE_CONTACT "${CPACK_PACKAGE_VENDOR} <noreply@example.org>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_CMAKE_PROJECTS "${PROJECT_BINARY_DIR};skerry;Unspecified;/") # not what links an MPI
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_PACKAGE_SECTION libdevel)
# What the command and the shared library are linked with, and what a static link and the package files ask for.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libhwloc-dev, libboost-context-dev")
file(WRITE "${PROJECT_BINARY_DIR}/triggers" "activate-noawait ldconfig\n") # the loader hears of the shared library
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA "${PROJECT_BINARY_DIR}/triggers")
include(CPack)
