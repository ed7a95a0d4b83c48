target_compile_definitions(nereus_api PRIVATE NEREUS_VERSION="${PROJECT_VERSION}")
