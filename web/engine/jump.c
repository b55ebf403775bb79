// The three functions that clang's lowering of setjmp and longjmp calls; names and arguments as in
// LLVM's lib/Target/WebAssembly/WebAssemblyLowerEmscriptenEHSjLj.cpp (since LLVM 19). An exception
// of the tag __c_longjmp carries a pointer to {buffer, value}.
#include <setjmp.h>
#include <stdint.h>

enum { LONGJMP_TAG = 1 }; // LLVM's llvm/include/llvm/CodeGen/WasmEHFuncInfo.h: C_LONGJMP

void __wasm_setjmp(struct sn_jump *jump, uint32_t place, void *frame);
uint32_t __wasm_setjmp_test(const struct sn_jump *jump, const void *frame);
_Noreturn void __wasm_longjmp(struct sn_jump *jump, int value);

void __wasm_setjmp(struct sn_jump *jump, uint32_t place, void *frame)
{
    jump->frame = frame;
    jump->place = place;
}

// 0: another call's, so the exception goes on.
uint32_t __wasm_setjmp_test(const struct sn_jump *jump, const void *frame)
{
    return jump->frame == frame ? jump->place : 0;
}

void __wasm_longjmp(struct sn_jump *jump, int value)
{
    jump->buffer = jump;
    jump->value = value != 0 ? value : 1;
    __builtin_wasm_throw(LONGJMP_TAG, &jump->buffer);
}
