# The `sinew` command from app/*.c, with scenes, schema and other text files inside (see app/embedded.h).
#
# `make build` asks for the target `products`: the libraries and, when app/main.c exists, the command.
add_custom_target(products DEPENDS sinew)
if(SINEW_SHARED)
    add_dependencies(products sinew_shared)
endif()

if(EXISTS ${PROJECT_SOURCE_DIR}/app/main.c)
    # Runs while building, on this machine; never under a sanitizer.
    add_executable(sinew_embed ${PROJECT_SOURCE_DIR}/tools/embed.c)
    target_compile_options(sinew_embed PRIVATE -Wall -Wextra -Werror)
    target_compile_definitions(sinew_embed PRIVATE _POSIX_C_SOURCE=200809L)

    file(GLOB_RECURSE SINEW_EMBEDDED CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}
         ${PROJECT_SOURCE_DIR}/scenes/*.json ${PROJECT_SOURCE_DIR}/scenes/*.urdf
         ${PROJECT_SOURCE_DIR}/schema/*.json ${PROJECT_SOURCE_DIR}/docs/gallery.md)
    list(SORT SINEW_EMBEDDED)
    list(TRANSFORM SINEW_EMBEDDED PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE embedded_paths)
    set(embedded_source ${CMAKE_BINARY_DIR}/generated/embedded.c)
    file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/generated)
    add_custom_command(OUTPUT ${embedded_source}
        COMMAND sinew_embed ${embedded_source} ${SINEW_EMBEDDED}
        WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
        DEPENDS sinew_embed ${embedded_paths}
        COMMENT "Embedding scenes and schema" VERBATIM)

    # The page as tools/build-page has built it, if it has.
    file(GLOB_RECURSE page_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/web/dist/*)
    set(page_source ${CMAKE_BINARY_DIR}/generated/page.c)
    add_custom_command(OUTPUT ${page_source}
        COMMAND ${PROJECT_SOURCE_DIR}/tools/embed-page $<TARGET_FILE:sinew_embed> ${page_source}
                ${PROJECT_SOURCE_DIR}/web/dist
        DEPENDS sinew_embed ${page_files} ${PROJECT_SOURCE_DIR}/tools/embed-page
        COMMENT "Embedding the page" VERBATIM)

    file(GLOB_RECURSE SINEW_COMMAND_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/app/*.c)
    add_executable(sinew_command ${SINEW_COMMAND_SOURCES} ${embedded_source} ${page_source})
    set_target_properties(sinew_command PROPERTIES OUTPUT_NAME sinew)
    target_include_directories(sinew_command PRIVATE ${PROJECT_SOURCE_DIR}/app)
    target_link_libraries(sinew_command PRIVATE sinew PkgConfig::libwebsockets)
    target_link_options(sinew_command PRIVATE -Wl,--as-needed)
    add_dependencies(products sinew_command)

    # Man page and shell completion come from the command's own option table.
    set(generates_pages FALSE)
    foreach(source ${SINEW_COMMAND_SOURCES})
        file(STRINGS ${source} found REGEX "generate-man" LIMIT_COUNT 1)
        if(found)
            set(generates_pages TRUE)
        endif()
    endforeach()
    if(generates_pages AND NOT SINEW_SANITIZE)
        set(pages ${CMAKE_BINARY_DIR}/generated/pages)
        file(MAKE_DIRECTORY ${pages})
        add_custom_command(OUTPUT ${pages}/sinew.1 ${pages}/sinew.bash ${pages}/_sinew ${pages}/sinew.fish
            COMMAND sinew_command --generate-man > ${pages}/sinew.1
            COMMAND sinew_command --generate-completion bash > ${pages}/sinew.bash
            COMMAND sinew_command --generate-completion zsh > ${pages}/_sinew
            COMMAND sinew_command --generate-completion fish > ${pages}/sinew.fish
            DEPENDS sinew_command COMMENT "Writing the man page and shell completions" VERBATIM)
        add_custom_target(sinew_pages DEPENDS ${pages}/sinew.1)
        add_dependencies(products sinew_pages)
        set(SINEW_PAGES ${pages})
    endif()
endif()
