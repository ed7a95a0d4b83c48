# The only room that sees zlib: .npz files may be deflated.
find_package(ZLIB REQUIRED)
target_link_libraries(nereus_value PRIVATE ZLIB::ZLIB)
