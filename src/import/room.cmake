# The only room that sees protozero, which is headers alone.
find_path(PROTOZERO_INCLUDE_DIR protozero/pbf_reader.hpp REQUIRED)
target_include_directories(nereus_import SYSTEM PUBLIC ${PROTOZERO_INCLUDE_DIR})
