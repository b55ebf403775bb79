# clang of LLVM 19 with Debian's wasi-libc: WebAssembly with 128-bit vectors, nothing else beyond the basics that
# all browsers since 2023 have.
set(CMAKE_SYSTEM_NAME Generic) # CMake 3.25 does not know WASI
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_C_COMPILER clang-19)
set(CMAKE_C_COMPILER_TARGET wasm32-wasi)
set(CMAKE_SYSROOT /usr)
set(CMAKE_C_FLAGS_INIT "-msimd128")
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY) # no archiver is needed: everything is linked from objects
set(CMAKE_AR true)
set(CMAKE_RANLIB true)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
