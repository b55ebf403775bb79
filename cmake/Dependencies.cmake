# What Sinew stands on. Debian 12's packages; `tools/setup` installs them.
find_package(PkgConfig REQUIRED)
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
pkg_check_modules(assimp REQUIRED IMPORTED_TARGET assimp)
pkg_check_modules(qhull_r REQUIRED IMPORTED_TARGET qhull_r)
pkg_check_modules(libpng REQUIRED IMPORTED_TARGET libpng)
pkg_check_modules(expat REQUIRED IMPORTED_TARGET expat)
pkg_check_modules(libwebsockets REQUIRED IMPORTED_TARGET libwebsockets) # of the command alone

# SUNDIALS' own CMake package also asks for OpenMP and MPI, which Sinew does not use and clang may not have; the
# libraries are therefore looked up one by one.
set(SINEW_SUNDIALS_NAMES sundials_arkode sundials_cvode sundials_nvecserial sundials_sunlinsoldense
    sundials_sunmatrixdense)
find_path(SUNDIALS_INCLUDE_DIR sundials/sundials_config.h)
if(NOT SUNDIALS_INCLUDE_DIR)
    message(FATAL_ERROR "sundials/sundials_config.h is missing: install libsundials-dev, or run tools/setup")
endif()
file(STRINGS ${SUNDIALS_INCLUDE_DIR}/sundials/sundials_config.h sundials_version REGEX "define SUNDIALS_VERSION ")
string(REGEX REPLACE ".*\"(.*)\".*" "\\1" sundials_version "${sundials_version}")
if(sundials_version VERSION_LESS 6.0)
    message(FATAL_ERROR "SUNDIALS ${sundials_version} is too old: version 6 or later is needed")
endif()
add_library(sinew_sundials INTERFACE)
target_include_directories(sinew_sundials SYSTEM INTERFACE ${SUNDIALS_INCLUDE_DIR})
foreach(name ${SINEW_SUNDIALS_NAMES})
    find_library(${name}_LIBRARY ${name} REQUIRED)
    mark_as_advanced(${name}_LIBRARY)
    target_link_libraries(sinew_sundials INTERFACE ${${name}_LIBRARY})
endforeach()
mark_as_advanced(SUNDIALS_INCLUDE_DIR)

# The same list by bare names, for programs that link libsinew.a.
set(SINEW_STATIC_NAMES assimp qhull_r png expat ${SINEW_SUNDIALS_NAMES} m)

add_library(sinew_dependencies INTERFACE)
target_link_libraries(sinew_dependencies INTERFACE PkgConfig::assimp PkgConfig::qhull_r PkgConfig::libpng
                      PkgConfig::expat                       sinew_sundials Threads::Threads m)
