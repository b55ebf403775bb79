# libsinew.a and libsinew.so from objects that are compiled once.
file(GLOB_RECURSE SINEW_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.c)
add_library(sinew_objects OBJECT ${SINEW_SOURCES})
set_target_properties(sinew_objects PROPERTIES POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden)
target_link_libraries(sinew_objects PUBLIC sinew_options sinew_dependencies)

add_library(sinew STATIC $<TARGET_OBJECTS:sinew_objects>)
target_link_libraries(sinew PUBLIC $<BUILD_INTERFACE:sinew_options> $<BUILD_INTERFACE:sinew_dependencies>
                      "$<INSTALL_INTERFACE:${SINEW_STATIC_NAMES};Threads::Threads>")
target_include_directories(sinew INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)

if(SINEW_SHARED)
    add_library(sinew_shared SHARED $<TARGET_OBJECTS:sinew_objects>)
    set_target_properties(sinew_shared PROPERTIES OUTPUT_NAME sinew VERSION ${PROJECT_VERSION}
                          SOVERSION ${SINEW_ABI_MAJOR})
    target_link_libraries(sinew_shared PRIVATE $<BUILD_INTERFACE:sinew_options>
                          $<BUILD_INTERFACE:sinew_dependencies>)
    target_link_options(sinew_shared PRIVATE -Wl,--no-undefined -Wl,--as-needed)
    target_include_directories(sinew_shared INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endif()
