# bench/<group>_bench.c or .cpp: one program each, printing a JSON array of rows (group, case, ours, peer, peer_value,
# ratio, unit, quality); `make bench` joins them into build/bench.json. Every other source in bench/ is shared by all
# of them; the C++ ones may use Bullet, ODE and MuJoCo.
if(SINEW_BENCH)
    enable_language(CXX)
    set(CMAKE_CXX_STANDARD 17)
    set(CMAKE_CXX_EXTENSIONS OFF)
    pkg_check_modules(bullet REQUIRED IMPORTED_TARGET bullet)
    pkg_check_modules(ode REQUIRED IMPORTED_TARGET ode)
    find_library(MUJOCO_LIBRARY mujoco REQUIRED)
    mark_as_advanced(MUJOCO_LIBRARY)

    add_library(bench_peers INTERFACE)
    target_link_libraries(bench_peers INTERFACE sinew PkgConfig::bullet PkgConfig::ode ${MUJOCO_LIBRARY})
    target_link_options(bench_peers INTERFACE -Wl,--as-needed)

    file(GLOB bench_common CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/*.c ${PROJECT_SOURCE_DIR}/bench/*.cpp)
    file(GLOB bench_programs CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/*_bench.c
         ${PROJECT_SOURCE_DIR}/bench/*_bench.cpp)
    if(bench_programs)
        list(REMOVE_ITEM bench_common ${bench_programs})
    endif()
    if(bench_common)
        add_library(bench_common OBJECT EXCLUDE_FROM_ALL ${bench_common})
        target_link_libraries(bench_common PUBLIC bench_peers)
    endif()
    add_custom_target(benches)
    foreach(source ${bench_programs})
        get_filename_component(name ${source} NAME_WE)
        add_executable(${name} EXCLUDE_FROM_ALL ${source})
        target_link_libraries(${name} PRIVATE bench_peers)
        if(bench_common)
            target_link_libraries(${name} PRIVATE bench_common)
        endif()
        set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bench
                              LINKER_LANGUAGE CXX)
        add_dependencies(benches ${name})
    endforeach()
endif()
