# The only room that sees LLVM; linked as the shared library.
find_package(LLVM 19.1 REQUIRED CONFIG)
target_include_directories(nereus_codegen SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
target_link_libraries(nereus_codegen PRIVATE LLVM)

# Runs a compiled kernel without LLVM; blob_test.cpp feeds it.
add_executable(blob_run ${CMAKE_SOURCE_DIR}/test/blob_run/main.cpp)
target_link_libraries(blob_run PRIVATE nereus_exe)
add_dependencies(nereus_codegen blob_run)

add_executable(kernel_bench EXCLUDE_FROM_ALL ${CMAKE_SOURCE_DIR}/bench/kernel_bench.cpp)
target_link_libraries(kernel_bench PRIVATE nereus_codegen)
