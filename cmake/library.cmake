# library(): makes the targets of the folder that calls it. `lib/base` becomes the library `lib_base`
# and the test program `lib_base_test`; PROGRAM names the program that main.cc becomes.
#   DEPS  our libraries (folders' target names)     LINK  other libraries     TEST_DEPS  only for the tests
# Sources in sub-folders belong to the folder, unless the sub-folder has a CMakeLists.txt of its own.

# One precompiled header for code and one for tests, shared by all targets: system headers only.
function(precompiled name)
  file(WRITE ${PROJECT_BINARY_DIR}/${name}.cc "// Holds the precompiled header ${name}.\n")
  add_library(${name} OBJECT ${PROJECT_BINARY_DIR}/${name}.cc)
  target_precompile_headers(${name} PRIVATE ${ARGN})
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -v ERROR_VARIABLE version)
  get_directory_property(options COMPILE_OPTIONS)
  list(REMOVE_ITEM options ${FALSE_ALARMS})  # as CCACHE_IGNOREOPTIONS: they make no other header
  string(TOUPPER "CMAKE_CXX_FLAGS_${CMAKE_BUILD_TYPE}" type_flags)
  string(SHA256 sum "${version};${CMAKE_CXX_FLAGS};${${type_flags}};${options};${TEST_OPTIONS};${ARGN}")
  file(WRITE ${PROJECT_BINARY_DIR}/CMakeFiles/${name}.dir/cmake_pch.hxx.gch.sum "${sum}\n")
endfunction()
set(PCH_SYSTEM <algorithm> <atomic> <chrono> <condition_variable> <functional> <map> <memory> <mutex>
  <optional> <string> <string_view> <thread> <variant> <vector> <nlohmann/json.hpp>)
precompiled(pch_code ${PCH_SYSTEM})
if(AGENT_MEMORY_TESTS)
  # Half of the code is tests: without optimization they compile in half of the time. The library below them is optimized as
  # the preset says. glibc warns of _FORTIFY_SOURCE without optimization.
  set(TEST_OPTIONS -O0 -U_FORTIFY_SOURCE)
  find_package(GTest REQUIRED)
  precompiled(pch_test ${PCH_SYSTEM} <gtest/gtest.h>)
  target_compile_options(pch_test PRIVATE ${TEST_OPTIONS})
  target_link_libraries(pch_test PRIVATE GTest::gtest)  # its definitions must be those of the tests
endif()

# A unit joins up to ten files of a folder, so that the headers they share are read once: a build from nothing takes a
# fifth of the time. AGENT_MEMORY_UNITY=OFF (preset dev) compiles each file by itself. Paths in a unit are relative to
# the root, so that ccache takes a checkout elsewhere for the same. A file with options of its own stays by itself: it has
# CMake's property SKIP_UNITY_BUILD_INCLUSION.
function(units result name)
  set(units ${ARGN})
  if(AGENT_MEMORY_UNITY)
    set(units)
    set(folders)
    foreach(file ${ARGN})
      get_source_file_property(alone ${file} SKIP_UNITY_BUILD_INCLUSION)
      if(alone)
        list(APPEND units ${file})
        continue()
      endif()
      file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR} ${file})
      get_filename_component(folder ${path} DIRECTORY)
      string(MAKE_C_IDENTIFIER "${folder}" folder)
      list(APPEND folders ${folder})
      list(APPEND files_${folder} ${path})
    endforeach()
    list(REMOVE_DUPLICATES folders)
    foreach(folder ${folders})
      set(number 0)
      while(files_${folder})
        list(SUBLIST files_${folder} 0 10 part)
        list(REMOVE_ITEM files_${folder} ${part})
        list(TRANSFORM part REPLACE "(.+)" "#include \"\\1\"")
        list(JOIN part "\n" text)
        set(unit ${PROJECT_BINARY_DIR}/units/${name}/${folder}_${number}.cc)
        file(GENERATE OUTPUT ${unit} CONTENT "${text}\n")
        list(APPEND units ${unit})
        math(EXPR number "${number} + 1")
      endwhile()
    endforeach()
  endif()
  set(${result} ${units} PARENT_SCOPE)
endfunction()

function(library)
  cmake_parse_arguments(ARG "" "PROGRAM" "DEPS;LINK;TEST_DEPS" ${ARGN})
  file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  string(REPLACE "/" "_" name ${folder})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS *.cc)
  file(GLOB_RECURSE own CONFIGURE_DEPENDS */CMakeLists.txt)
  foreach(file ${own})
    get_filename_component(inner ${file} DIRECTORY)
    list(FILTER sources EXCLUDE REGEX "^${inner}/")
  endforeach()
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$|/main\\.cc$")

  if(sources)
    units(sources ${name} ${sources})
    add_library(${name} STATIC ${sources})
    target_link_libraries(${name} PUBLIC ${ARG_DEPS} ${ARG_LINK} Threads::Threads)
    target_precompile_headers(${name} REUSE_FROM pch_code)
  else()
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE ${ARG_DEPS} ${ARG_LINK} Threads::Threads)
  endif()

  if(ARG_PROGRAM AND EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/main.cc)
    add_executable(${ARG_PROGRAM} main.cc)
    target_link_libraries(${ARG_PROGRAM} PRIVATE ${name})
    target_precompile_headers(${ARG_PROGRAM} REUSE_FROM pch_code)
    # The library folder of scripts/pack-release. DT_RPATH instead of DT_RUNPATH: it also applies to libraries of libraries.
    set_target_properties(${ARG_PROGRAM} PROPERTIES BUILD_RPATH "$ORIGIN/../lib/agent-memory")
    target_link_options(${ARG_PROGRAM} PRIVATE LINKER:--disable-new-dtags)
  endif()

  if(tests AND AGENT_MEMORY_TESTS)
    units(tests ${name}_test ${tests})
    add_executable(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE ${name} ${ARG_TEST_DEPS} GTest::gtest_main)
    target_compile_options(${name}_test PRIVATE ${TEST_OPTIONS})
    target_precompile_headers(${name}_test REUSE_FROM pch_test)
    if(TARGET "${ARG_PROGRAM}")
      add_dependencies(${name}_test ${ARG_PROGRAM})  # some tests start it
    endif()
    add_test(NAME ${name} COMMAND ${name}_test --gtest_brief=1 WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    # SSL_CERT_FILE: each TLS context would read all certificate authorities of the machine, which no test trusts.
    set_tests_properties(${name} PROPERTIES TIMEOUT 3600 ENVIRONMENT
      "SSL_CERT_FILE=/dev/null;AGENT_MEMORY_BIN=${PROJECT_BINARY_DIR}/bin;LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/cmake/lsan.supp:print_suppressions=0;TSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/cmake/tsan.supp halt_on_error=1;UBSAN_OPTIONS=print_stacktrace=1")
  endif()
endfunction()

# module(): a shared object that a program loads at run time, from the .cc files of the calling folder. Only its exports
# are visible, and it links none of our libraries (they are static).
#   DEFINITIONS  for its code     LINK  libraries
function(module name)
  cmake_parse_arguments(ARG "" "" "DEFINITIONS;LINK" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS *.cc)
  add_library(${name} MODULE ${sources})
  target_compile_definitions(${name} PRIVATE ${ARG_DEFINITIONS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} Threads::Threads)
  target_link_options(${name} PRIVATE LINKER:-z,defs)  # a missing symbol fails here, not when a program loads the module
  set_target_properties(${name} PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
endfunction()
