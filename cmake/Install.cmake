# Headers, both libraries, the command, and what pkg-config and CMake need to find them.
include(CMakePackageConfigHelpers)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/sinew DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING
        PATTERN "*.h")

set(package_directory ${CMAKE_INSTALL_LIBDIR}/cmake/Sinew)
set_target_properties(sinew PROPERTIES EXPORT_NAME sinew_static)
install(TARGETS sinew EXPORT SinewStaticTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT SinewStaticTargets NAMESPACE Sinew:: DESTINATION ${package_directory})
if(SINEW_SHARED)
    set_target_properties(sinew_shared PROPERTIES EXPORT_NAME sinew)
    install(TARGETS sinew_shared EXPORT SinewTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
    install(EXPORT SinewTargets NAMESPACE Sinew:: DESTINATION ${package_directory})
endif()
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/SinewConfig.cmake.in
    ${CMAKE_BINARY_DIR}/generated/SinewConfig.cmake INSTALL_DESTINATION ${package_directory})
# Before 1.0 a minor version may break the API.
write_basic_package_version_file(${CMAKE_BINARY_DIR}/generated/SinewConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/generated/SinewConfig.cmake
        ${CMAKE_BINARY_DIR}/generated/SinewConfigVersion.cmake DESTINATION ${package_directory})

# sinew.pc finds its prefix from where it lies, so that an installed tree can be moved. For static linking it lists
# the plain library names: a program that uses the shared library then needs none of their development packages.
file(RELATIVE_PATH SINEW_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" SINEW_PC_PREFIX ${SINEW_PC_PREFIX})
list(TRANSFORM SINEW_STATIC_NAMES PREPEND -l OUTPUT_VARIABLE static_flags)
string(REPLACE ";" " " SINEW_PC_STATIC "${static_flags}")
configure_file(${PROJECT_SOURCE_DIR}/cmake/sinew.pc.in ${CMAKE_BINARY_DIR}/generated/sinew.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/generated/sinew.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

if(TARGET sinew_command)
    install(TARGETS sinew_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
if(SINEW_PAGES)
    install(FILES ${SINEW_PAGES}/sinew.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
    install(FILES ${SINEW_PAGES}/sinew.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
            RENAME sinew)
    install(FILES ${SINEW_PAGES}/_sinew DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
    install(FILES ${SINEW_PAGES}/sinew.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/schema/ DESTINATION ${CMAKE_INSTALL_DATADIR}/sinew FILES_MATCHING
        PATTERN "*.json")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/sinew FILES_MATCHING
        PATTERN "*.json" PATTERN "*.urdf" PATTERN "*.obj" PATTERN "*.stl" PATTERN "*.ply")
