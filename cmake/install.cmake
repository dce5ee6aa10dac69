# What `cmake --install` puts where: the library, its headers, the command line,
# and the files by which pkg-config and find_package find them.
include(CMakePackageConfigHelpers)

install(TARGETS httpdyno EXPORT httpdyno-targets)
install(TARGETS httpdyno-cli)
install(DIRECTORY include/httpdyno TYPE INCLUDE FILES_MATCHING PATTERN "*.h")
install(FILES LICENSE TYPE DOC)
install(FILES tests/httpdyno.schema.json
  DESTINATION ${CMAKE_INSTALL_DATADIR}/httpdyno)

configure_file(pkgconfig/httpdyno.pc.in httpdyno.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/httpdyno.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/httpdyno)
configure_package_config_file(pkgconfig/httpdyno-config.cmake.in
  httpdyno-config.cmake INSTALL_DESTINATION ${config_dir})
write_basic_package_version_file(httpdyno-config-version.cmake
  COMPATIBILITY SameMajorVersion)
install(FILES
  ${CMAKE_CURRENT_BINARY_DIR}/httpdyno-config.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/httpdyno-config-version.cmake
  DESTINATION ${config_dir})
install(EXPORT httpdyno-targets NAMESPACE httpdyno:: DESTINATION ${config_dir})
