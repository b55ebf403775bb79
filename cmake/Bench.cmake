# bench/peers/<name>.c or .cpp: one program each that runs another engine (Bullet, ODE, MuJoCo) on our cases.
# `make bench` builds them into build/release/peers and hands that folder to `sinew bench --peers`.
if(SINEW_BENCH)
    enable_language(CXX)
    set(CMAKE_CXX_STANDARD 17)
    set(CMAKE_CXX_EXTENSIONS OFF)
    pkg_check_modules(bullet REQUIRED IMPORTED_TARGET bullet)
    pkg_check_modules(bullet64 REQUIRED IMPORTED_TARGET bullet-float64)
    pkg_check_modules(ode REQUIRED IMPORTED_TARGET ode)
    find_library(MUJOCO_LIBRARY mujoco REQUIRED)
    mark_as_advanced(MUJOCO_LIBRARY)

    # The peers' own floating-point habits are theirs; only optimisation and warnings are set here.
    add_custom_target(peers)
    add_dependencies(peers products)
    file(GLOB peer_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/peers/*.c
         ${PROJECT_SOURCE_DIR}/bench/peers/*.cpp)
    foreach(source ${peer_sources})
        get_filename_component(name ${source} NAME_WE)
        add_executable(peer_${name} EXCLUDE_FROM_ALL ${source})
        target_compile_options(peer_${name} PRIVATE -Wall -Wextra)
        target_compile_definitions(peer_${name} PRIVATE _POSIX_C_SOURCE=200809L)
        # Bullet's two precisions share names and headers; a program may see only one of them.
        string(REGEX MATCH "^bullet64" double ${name})
        set(bullet $<IF:$<BOOL:${double}>,PkgConfig::bullet64,PkgConfig::bullet>)
        target_include_directories(peer_${name} PRIVATE ${PROJECT_SOURCE_DIR}/include)
        target_link_libraries(peer_${name} PRIVATE ${bullet} PkgConfig::ode ${MUJOCO_LIBRARY} m)
        target_link_options(peer_${name} PRIVATE -Wl,--as-needed)
        set_target_properties(peer_${name} PROPERTIES OUTPUT_NAME ${name} LINKER_LANGUAGE CXX
                              RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/peers)
        add_dependencies(peers peer_${name})
    endforeach()
endif()
