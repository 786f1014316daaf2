# Compiles for 64-bit ARM on another machine: Debian's cross compiler and its arm64 libraries, which
# scripts/deps cross installs. cmake --preset release -B build/aarch64 --toolchain cmake/aarch64.cmake
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
# Debian keeps libraries of several architectures side by side, so nothing is searched elsewhere.
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
