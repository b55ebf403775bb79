# tests/<noun>_test.c: one cmocka program each. tests/cli/run and tests/<noun>_test.sh: executable scripts that get the
# path of the command. All run in the project root. A test whose source uses threads is labelled `threads` and
# also runs under the thread sanitizer. tests/hash_probe.c prints state hashes for tools/compare-builds; tests/fuzz/<noun>_fuzz.c are
# libFuzzer targets.
if(SINEW_TESTS STREQUAL "AUTO")
    pkg_check_modules(cmocka QUIET IMPORTED_TARGET cmocka)
    set(with_tests ${cmocka_FOUND})
elseif(SINEW_TESTS)
    pkg_check_modules(cmocka REQUIRED IMPORTED_TARGET cmocka)
    set(with_tests TRUE)
else()
    set(with_tests FALSE)
endif()
message(STATUS "Tests: ${with_tests}")

enable_testing()
# Outside libraries that only tests use, as oracles; linked when the source includes their header.
function(sinew_link_oracles target source)
    foreach(pair mpfr.h:mpfr lapacke.h:lapacke cholmod.h:cholmod mujoco.h:mujoco
            FrictionContactProblem.h:siconos_numerics)
        string(REPLACE ":" ";" pair ${pair})
        list(GET pair 0 header)
        list(GET pair 1 library)
        file(STRINGS ${source} found REGEX "#include [<\"].*${header}[>\"]" LIMIT_COUNT 1)
        if(found)
            target_link_libraries(${target} PRIVATE ${library})
            if(library STREQUAL "mpfr")
                target_link_libraries(${target} PRIVATE gmp)
            elseif(library STREQUAL "siconos_numerics")
                find_path(SICONOS_INCLUDE_DIR numerics/FrictionContactProblem.h PATH_SUFFIXES siconos REQUIRED)
                mark_as_advanced(SICONOS_INCLUDE_DIR)
                target_include_directories(${target} SYSTEM PRIVATE ${SICONOS_INCLUDE_DIR}
                                           ${SICONOS_INCLUDE_DIR}/numerics)
            endif()
        endif()
    endforeach()
endfunction()

set(sanitizer_environment
    "ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1:strict_string_checks=1"
    "UBSAN_OPTIONS=print_stacktrace=1" "TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1")
if(SINEW_SANITIZE)
    list(APPEND sanitizer_environment "SINEW_SANITIZED=1")
endif()

# Each of the many test programs is linked from the whole library; gold takes half of ld's time for that.
find_program(SINEW_GOLD ld.gold)
mark_as_advanced(SINEW_GOLD)

if(with_tests)
    add_custom_target(tests_threads)
    # Second implementations that only tests use, to hold the library against.
    file(GLOB REFERENCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/reference/*.c)
    add_library(sinew_reference STATIC EXCLUDE_FROM_ALL ${REFERENCES})
    target_link_libraries(sinew_reference PUBLIC sinew)
    target_include_directories(sinew_reference PUBLIC ${PROJECT_SOURCE_DIR}/tests)
    file(GLOB TESTS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/*_test.c)
    foreach(source ${TESTS})
        get_filename_component(name ${source} NAME_WE)
        add_executable(${name} ${source})
        # cmocka's mock macros cast pointers to integers and shadow freely; they are not ours to judge.
        target_link_libraries(${name} PRIVATE sinew_reference sinew PkgConfig::cmocka)
        target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
        set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
        # Optimising the tests' own code would take longer than running it.
        if(SINEW_SANITIZE)
            target_compile_options(${name} PRIVATE -O0)
        endif()
        if(SINEW_GOLD)
            target_link_options(${name} PRIVATE -fuse-ld=gold)
        endif()
        sinew_link_oracles(${name} ${source})
        add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
        set_tests_properties(${name} PROPERTIES TIMEOUT 300 ENVIRONMENT "${sanitizer_environment}")
        file(STRINGS ${source} threads REGEX "pthread_|sn_threads_|set_threads|\\.threads = |int threads" LIMIT_COUNT 1)
        if(threads)
            set_tests_properties(${name} PROPERTIES LABELS threads)
            add_dependencies(tests_threads ${name})
        endif()
    endforeach()

    # tests/cli/run drives the command as a user would, tests/<noun>_test.sh do so for one matter.
    if(TARGET sinew_command)
        file(GLOB SCRIPTS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/*_test.sh ${PROJECT_SOURCE_DIR}/tests/cli/run)
        foreach(script ${SCRIPTS})
            get_filename_component(name ${script} NAME_WE)
            string(REGEX REPLACE "^run$" "cli" name ${name})
            add_test(NAME ${name} COMMAND ${script} $<TARGET_FILE:sinew_command>
                     WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
            set_tests_properties(${name} PROPERTIES TIMEOUT 600 ENVIRONMENT "${sanitizer_environment}")
        endforeach()
    endif()
endif()

# The longest first, by seconds of their own: else one of them is still running when all others are done.
if(with_tests)
    foreach(pair verify_test:150 cli:100 gallery_test:60 view_test:40 contact_torture_test:30 mechanics_loop_test:20
            render_test:15 draw_test:15 scene_test:12 contact_determinism_test:10 calculix_test:9)
        string(REPLACE ":" ";" pair ${pair})
        list(GET pair 0 name)
        list(GET pair 1 seconds)
        if(TEST ${name})
            set_tests_properties(${name} PROPERTIES COST ${seconds})
        endif()
    endforeach()
endif()

if(EXISTS ${PROJECT_SOURCE_DIR}/tests/hash_probe.c)
    add_executable(hash_probe EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/tests/hash_probe.c)
    target_link_libraries(hash_probe PRIVATE sinew)
endif()

# The work whose instructions tools/costs counts.
if(TARGET sinew_command)
    add_executable(cost_probe EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/bench/cost_probe.c
                   ${PROJECT_SOURCE_DIR}/app/bench_linkage.c ${PROJECT_SOURCE_DIR}/app/progress.c ${PROJECT_SOURCE_DIR}/app/terminal.c)
    target_include_directories(cost_probe PRIVATE ${PROJECT_SOURCE_DIR}/app ${PROJECT_SOURCE_DIR}/bench ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(cost_probe PRIVATE sinew)
endif()

# Runs every shipped scene; tests/web compares what it prints here with what it prints in WebAssembly.
if(TARGET sinew_command AND EXISTS ${PROJECT_SOURCE_DIR}/tests/web/scene_hash.c)
    add_executable(scene_hash EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/tests/web/scene_hash.c
                   ${PROJECT_SOURCE_DIR}/app/builtin.c ${embedded_source})
    target_include_directories(scene_hash PRIVATE ${PROJECT_SOURCE_DIR}/app ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(scene_hash PRIVATE sinew)
endif()

if(SINEW_FUZZ)
    # Fuzzers are led by what is run of the code that reads what comes from outside. Other code does without counters,
    # which would slow the sanitizers' tests that share the objects.
    foreach(source ${SINEW_SOURCES})
        if(source MATCHES "/src/(live|record|scene)/|/(decimal|breath|touch_memory|geometry/raw|geometry/words|tetrahedra_(file|groups|msh|parts|tetgen|vtk))[a-z_]*\\.c$")
            set_property(SOURCE ${source} APPEND PROPERTY COMPILE_OPTIONS -fsanitize=fuzzer-no-link)
        endif()
    endforeach()
    add_custom_target(fuzzers)
    file(GLOB FUZZERS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/fuzz/*_fuzz.c)
    foreach(source ${FUZZERS})
        get_filename_component(name ${source} NAME_WE)
        add_executable(${name} EXCLUDE_FROM_ALL ${source})
        # LLVMFuzzerTestOneInput has no header to declare it; a source's own options come last and win.
        set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "-Wno-missing-prototypes;-fsanitize=fuzzer-no-link")
        target_link_libraries(${name} PRIVATE sinew)
        target_link_options(${name} PRIVATE -fsanitize=fuzzer)
        add_dependencies(fuzzers ${name})
    endforeach()
endif()
