# Compiler and linker flags: warnings, the OpenSSF hardening list for release, sanitizers for the test presets.
find_program(CCACHE ccache)
if(CCACHE)
  # pch_defines and time_macros: ccache requires them for precompiled headers; EXTSUM: ccache hashes the content of the
  # header, because two builds make different .gch files of it.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
    "CCACHE_IGNOREOPTIONS=-Wno-maybe-uninitialized -Wno-stringop-overflow -Wno-tsan"  # they do not change the object
    CCACHE_PCH_EXTSUM=true CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=true ${CCACHE})
endif()

add_compile_options(-Wall -Wextra -Wformat=2 -Wconversion -Wno-sign-conversion -Wimplicit-fallthrough
  -Wnon-virtual-dtor -Werror=format-security -Werror=return-type -Werror=unused-result -fpch-preprocess)
add_compile_definitions(AGENT_MEMORY_VERSION="${PROJECT_VERSION}")
include_directories(${PROJECT_SOURCE_DIR})

if(AGENT_MEMORY_SANITIZE)
  add_compile_options(-fsanitize=${AGENT_MEMORY_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  # False positives of GCC 12 under -fsanitize, which its manual mentions: a moved std::optional "may be" uninitialized, a
  # string has a negative size. Release builds keep both warnings. ThreadSanitizer does not model Asio's fences (-Wtsan):
  # it may report a false race, but misses none.
  set(FALSE_ALARMS -Wno-maybe-uninitialized -Wno-stringop-overflow)
  if(AGENT_MEMORY_SANITIZE STREQUAL thread)
    list(APPEND FALSE_ALARMS -Wno-tsan)
  endif()
  add_compile_options(${FALSE_ALARMS})
  add_link_options(-fsanitize=${AGENT_MEMORY_SANITIZE})
elseif(CMAKE_BUILD_TYPE STREQUAL Release)
  # Control-flow integrity of indirect jumps: each architecture has its own flag.
  set(branches -fcf-protection=full)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
    set(branches -mbranch-protection=standard)
  endif()
  add_compile_options(-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -D_GLIBCXX_ASSERTIONS -fstack-protector-strong
    -fstack-clash-protection ${branches} -fno-delete-null-pointer-checks -fno-strict-overflow
    -ftrivial-auto-var-init=zero)
  add_link_options($<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-pie> -Wl,-z,relro,-z,now,-z,noexecstack -Wl,--as-needed -Wl,--gc-sections)
endif()
