# The only room that sees RE2.
find_library(RE2_LIBRARY re2 REQUIRED)
target_link_libraries(nereus_strings PRIVATE ${RE2_LIBRARY})
