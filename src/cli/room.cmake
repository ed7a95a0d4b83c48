target_compile_definitions(nereus_cli PRIVATE NEREUS_VERSION="${PROJECT_VERSION}")
add_executable(nereus ${folder}/main.cpp)
target_link_libraries(nereus PRIVATE nereus_cli)
