target_compile_definitions(nereus_cli PRIVATE NEREUS_VERSION="${PROJECT_VERSION}")
add_executable(nereus ${folder}/main.cpp)
target_link_libraries(nereus PRIVATE nereus_cli)
add_test(NAME runtime_only COMMAND ${CMAKE_SOURCE_DIR}/test/runtime_only.sh ${CMAKE_BINARY_DIR}/bin ${CMAKE_SOURCE_DIR})
