# The prelude's text becomes part of the library.
file(GLOB prelude_files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/prelude/*.nr ${CMAKE_SOURCE_DIR}/prelude/onnx/*.nr)
add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/prelude_text.cpp
  COMMAND /usr/bin/python3 ${CMAKE_SOURCE_DIR}/tools/embed_prelude ${CMAKE_BINARY_DIR}/prelude_text.cpp ${prelude_files}
  DEPENDS ${prelude_files} ${CMAKE_SOURCE_DIR}/tools/embed_prelude)
target_sources(nereus_driver PRIVATE ${CMAKE_BINARY_DIR}/prelude_text.cpp)
# What the compiler costs before there is code; tools/bench runs it.
find_package(benchmark QUIET)
if(benchmark_FOUND)
  add_executable(compiler_bench EXCLUDE_FROM_ALL ${CMAKE_SOURCE_DIR}/bench/compiler_bench.cpp)
  target_link_libraries(compiler_bench PRIVATE nereus_driver benchmark::benchmark)
endif()
