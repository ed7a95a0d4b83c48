# Test code in a library of its own: random arguments come from driver/random_inputs_testing.h.
target_link_libraries(nereus_generator PUBLIC GTest::gtest)
