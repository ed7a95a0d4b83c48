# The installed package: find_package(Nereus) gives Nereus::runtime, which runs artefacts, and Nereus::nereus, which
# compiles too. Two shared libraries made of the rooms; `cmake --install build --component runtime` installs the first
# alone. docs/decisions/004-two-libraries.md says why they are cut like this.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# A shared library of a room's objects; the rooms that it uses come from their archives.
function(add_public_library target room output_name export_name component)
  add_library(${target} SHARED $<TARGET_OBJECTS:nereus_${room}>)
  set(exports ${CMAKE_SOURCE_DIR}/src/api/exports.map)
  set_target_properties(${target} PROPERTIES
    OUTPUT_NAME ${output_name} EXPORT_NAME ${export_name}
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
    LINK_DEPENDS ${exports})
  target_link_options(${target} PRIVATE -Wl,--version-script=${exports} -Wl,--as-needed)
  target_compile_features(${target} INTERFACE c_std_11 cxx_std_20)
  target_include_directories(${target} INTERFACE
    $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  read_layer(uses ${CMAKE_SOURCE_DIR}/src/${room}/LAYER)
  list(REMOVE_ITEM uses api)                   # is in the runtime library, once
  foreach(used ${uses})
    target_link_libraries(${target} PRIVATE nereus_${used})
  endforeach()
  install(TARGETS ${target} EXPORT nereus_${component} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    COMPONENT ${component} NAMELINK_COMPONENT ${component})
  install(EXPORT nereus_${component} NAMESPACE Nereus:: FILE Nereus-${component}.cmake
    DESTINATION ${package_folder} COMPONENT ${component})
endfunction()

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/Nereus)
add_public_library(libnereus_runtime api nereus-runtime runtime runtime)
add_public_library(libnereus api_compile nereus nereus compiler)
target_link_libraries(libnereus PUBLIC libnereus_runtime)
set_target_properties(libnereus PROPERTIES INSTALL_RPATH "$ORIGIN")     # the runtime lies beside it

set(headers ${CMAKE_SOURCE_DIR}/include/nereus)
install(FILES ${headers}/nereus.h ${headers}/plugin.h ${headers}/result.hpp ${headers}/value.hpp ${headers}/executable.hpp
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/nereus COMPONENT runtime)
install(FILES ${headers}/compile.h ${headers}/compile.hpp ${headers}/nereus.hpp
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/nereus COMPONENT compiler)
install(TARGETS nereus-run RUNTIME COMPONENT runtime)
install(TARGETS nereus RUNTIME COMPONENT compiler)

write_basic_package_version_file(${CMAKE_BINARY_DIR}/NereusConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_SOURCE_DIR}/cmake/NereusConfig.cmake ${CMAKE_BINARY_DIR}/NereusConfigVersion.cmake
  DESTINATION ${package_folder} COMPONENT runtime)

if(NEREUS_SANITIZE)
  set(sanitize -fsanitize=${NEREUS_SANITIZE})
endif()
add_test(NAME consumer COMMAND ${CMAKE_SOURCE_DIR}/test/consumer.sh ${CMAKE_BINARY_DIR} ${CMAKE_SOURCE_DIR}
  ${CMAKE_CXX_COMPILER} "${sanitize}")
