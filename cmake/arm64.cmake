# SPDX-License-Identifier: Apache-2.0
# Toolchain file: builds for arm64 with the distribution's cross compiler and runs what was built under user-mode
# emulation. `tools/setup arm64` installs both, and unpacks what is linked for arm64 into the same folder as here.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)

set(cache "$ENV{XDG_CACHE_HOME}")
if(NOT cache)
  set(cache "$ENV{HOME}/.cache")
endif()
set(unpacked "${cache}/skerry/arm64")
set(libraries "${unpacked}/usr/lib/aarch64-linux-gnu")
set(CMAKE_FIND_ROOT_PATH "${unpacked}")
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_LIBDIR} "${libraries}/pkgconfig")
set(ENV{PKG_CONFIG_SYSROOT_DIR} "${unpacked}")
set(CMAKE_CXX_STANDARD_INCLUDE_DIRECTORIES "${unpacked}/usr/include" "${unpacked}/usr/include/aarch64-linux-gnu")
# hwloc needs a library that nobody here names.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-Wl,-rpath-link,${libraries}")
set(CMAKE_MODULE_LINKER_FLAGS_INIT "-Wl,-rpath-link,${libraries}")
set(CMAKE_SHARED_LINKER_FLAGS_INIT "-Wl,-rpath-link,${libraries}")
# -R, so many addresses: the emulator keeps a record of every page that is reserved, gigabytes for the TiB that regions
# take where they can. Here they take the 16 GiB at 0x20'0000'0000 (src/base/port/reserve.cpp).
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -R 0x3000000000 -L /usr/aarch64-linux-gnu -E "LD_LIBRARY_PATH=${libraries}")
