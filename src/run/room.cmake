add_executable(nereus-run ${folder}/main.cpp)
target_link_libraries(nereus-run PRIVATE nereus_run)
