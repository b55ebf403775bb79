# How every source of Sinew is compiled.
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})

if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug or Plain" FORCE)
endif()

# The x86-64 baseline, never -march=native: the same bits and comparable speeds on every machine. Asserts guard our
# own mistakes and stay out of the release, where nothing may abort; the sanitizer builds keep them.
set(CMAKE_C_FLAGS_RELEASE "-O2 -g1 -DNDEBUG")
set(CMAKE_C_FLAGS_DEBUG "-Og -g3")
set(CMAKE_C_FLAGS_PLAIN "-g1") # the preset says the -O level
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -g1 -DNDEBUG")

add_library(sinew_options INTERFACE)
target_compile_options(sinew_options INTERFACE
    -ffp-contract=off -fno-math-errno # strict floating point: same scene, same bits, for every compiler and -O level
    -Wall -Wextra -Werror -Wno-missing-field-initializers -Wshadow
    $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes -Wmissing-prototypes>)
target_compile_definitions(sinew_options INTERFACE _POSIX_C_SOURCE=200809L)
target_include_directories(sinew_options INTERFACE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)

if(SINEW_SANITIZE)
    target_compile_options(sinew_options INTERFACE -fsanitize=${SINEW_SANITIZE} -fno-sanitize-recover=all
                           -fno-omit-frame-pointer)
    target_link_options(sinew_options INTERFACE -fsanitize=${SINEW_SANITIZE})
endif()

find_program(SINEW_CCACHE ccache)
mark_as_advanced(SINEW_CCACHE)
if(SINEW_CCACHE)
    set(CMAKE_C_COMPILER_LAUNCHER ${SINEW_CCACHE})
endif()
