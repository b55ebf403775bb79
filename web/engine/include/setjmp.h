// setjmp for WebAssembly, which wasi-libc of Debian 12 lacks. clang turns both calls into
// WebAssembly exceptions (-mllvm -wasm-enable-sjlj) and calls the functions of jump.c; qhull leaves
// its errors this way.
#ifndef SN_WEB_SETJMP_H
#define SN_WEB_SETJMP_H

typedef struct sn_jump {
    void *frame;    // which call of which function waits: clang's own mark
    unsigned place; // which of its setjmps
    void *buffer;   // what the exception carries: the buffer itself and the value to return
    int value;
} jmp_buf[1];

int setjmp(jmp_buf buffer) __attribute__((returns_twice));
_Noreturn void longjmp(jmp_buf buffer, int value);

#endif
