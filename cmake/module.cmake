# Compiler flags for all, and two helpers:
#   muhur_module(NAME FILES a.cpp b.cpp USES base crypto LIBS PkgConfig::SODIUM [ASIO])
#   muhur_test(NAME FILES a_test.cpp USES vault)
add_library(muhur_flags INTERFACE)
target_include_directories(muhur_flags INTERFACE ${CMAKE_SOURCE_DIR}/src)
target_compile_options(muhur_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wthread-safety -Wimplicit-fallthrough
  -Wno-gnu-statement-expression -Wno-missing-field-initializers -Wno-missing-designated-field-initializers -Wno-c++26-extensions
  -fno-omit-frame-pointer -fstack-protector-strong)
target_compile_definitions(muhur_flags INTERFACE
  BOOST_ASIO_SEPARATE_COMPILATION BOOST_ASIO_NO_DEPRECATED BOOST_ALL_NO_LIB
  $<$<NOT:$<CONFIG:Debug>>:_FORTIFY_SOURCE=2>)
if(MUHUR_WERROR)
  target_compile_options(muhur_flags INTERFACE -Werror)
endif()
if(MUHUR_SANITIZE)
  target_compile_options(muhur_flags INTERFACE -fsanitize=${MUHUR_SANITIZE} -fno-sanitize-recover=all
    -U_FORTIFY_SOURCE)
  target_link_options(muhur_flags INTERFACE -fsanitize=${MUHUR_SANITIZE})
endif()
if(MUHUR_FUZZ)
  target_compile_options(muhur_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

find_program(MUHUR_CCACHE ccache)
if(MUHUR_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${MUHUR_CCACHE})
  # ccache needs these to cache what uses a precompiled header (CCACHE_SLOPPINESS is set by the scripts).
  add_compile_options("SHELL:$<$<COMPILE_LANGUAGE:CXX>:-Xclang -fno-pch-timestamp>")
endif()
find_program(MUHUR_MOLD mold)
if(MUHUR_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

# Executables are compiled as the libraries are: clang refuses a header that was precompiled for the other.
set(CMAKE_CXX_COMPILE_OPTIONS_PIE -fPIC)

# Precompiled headers: one for plain code, one for what speaks through Asio.
file(WRITE ${CMAKE_BINARY_DIR}/pch.cpp "")
add_library(muhur_pch OBJECT ${CMAKE_BINARY_DIR}/pch.cpp)
target_link_libraries(muhur_pch PUBLIC muhur_flags)
target_precompile_headers(muhur_pch PRIVATE ${CMAKE_SOURCE_DIR}/cmake/pch.hpp)
add_library(muhur_pch_asio OBJECT ${CMAKE_BINARY_DIR}/pch.cpp)
target_link_libraries(muhur_pch_asio PUBLIC muhur_flags)
target_precompile_headers(muhur_pch_asio PRIVATE ${CMAKE_SOURCE_DIR}/cmake/pch_asio.hpp)

# Tests have one each of their own: with GoogleTest in it, and in a release without optimisation, which halves
# what a cold build costs. What they test is optimised all the same.
if(MUHUR_TESTS)
  add_library(muhur_test_flags INTERFACE)
  target_link_libraries(muhur_test_flags INTERFACE muhur_flags GTest::gtest GTest::gmock)
  target_compile_options(muhur_test_flags INTERFACE $<$<CONFIG:Release>:-O0> $<$<CONFIG:Release>:-g1>
    $<$<CONFIG:Release>:-U_FORTIFY_SOURCE>)
  foreach(kind pch pch_asio)
    add_library(muhur_test_${kind} OBJECT ${CMAKE_BINARY_DIR}/pch.cpp)
    target_link_libraries(muhur_test_${kind} PUBLIC muhur_test_flags)
    target_precompile_headers(muhur_test_${kind} PRIVATE ${CMAKE_SOURCE_DIR}/cmake/${kind}.hpp
      <gtest/gtest.h> <gmock/gmock.h>)
  endforeach()
endif()

function(muhur_module name)
  cmake_parse_arguments(M "ASIO" "" "FILES;USES;LIBS" ${ARGN})
  add_library(muhur_${name} STATIC ${M_FILES})
  list(TRANSFORM M_USES PREPEND muhur_)
  target_link_libraries(muhur_${name} PUBLIC muhur_flags fmt::fmt Threads::Threads ${M_USES} PRIVATE ${M_LIBS})
  if(M_ASIO)
    target_precompile_headers(muhur_${name} REUSE_FROM muhur_pch_asio)
  else()
    target_precompile_headers(muhur_${name} REUSE_FROM muhur_pch)
  endif()
endfunction()

# One executable of GoogleTest tests a folder: build/…/tests/NAME_tests. Run whole by ctest.
function(muhur_test name)
  cmake_parse_arguments(M "ASIO" "" "FILES;USES;LIBS" ${ARGN})
  add_executable(${name}_tests ${M_FILES})
  set_target_properties(${name}_tests PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  list(TRANSFORM M_USES PREPEND muhur_)
  target_include_directories(${name}_tests PRIVATE ${CMAKE_SOURCE_DIR}/tests)
  target_compile_definitions(${name}_tests PRIVATE MUHUR_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  target_link_libraries(${name}_tests PRIVATE muhur_test_flags ${M_USES} ${M_LIBS} GTest::gtest_main)
  if(M_ASIO)
    target_precompile_headers(${name}_tests REUSE_FROM muhur_test_pch_asio)
  else()
    target_precompile_headers(${name}_tests REUSE_FROM muhur_test_pch)
  endif()
  add_test(NAME ${name} COMMAND ${name}_tests)
endfunction()
