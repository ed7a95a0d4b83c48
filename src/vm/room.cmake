# What the host path costs; tools/bench runs it.
find_package(benchmark QUIET)
if(benchmark_FOUND)
  add_executable(host_bench EXCLUDE_FROM_ALL ${CMAKE_SOURCE_DIR}/bench/host_bench.cpp)
  target_link_libraries(host_bench PRIVATE nereus_vm benchmark::benchmark)
endif()
