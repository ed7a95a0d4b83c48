# The only room that sees LLVM; linked as the shared library.
find_package(LLVM 19.1 REQUIRED CONFIG)
target_include_directories(nereus_codegen SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
target_link_libraries(nereus_codegen PRIVATE LLVM)
