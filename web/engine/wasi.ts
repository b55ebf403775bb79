// The little of WASI (preview 1) that the engine's C library asks for: a clock, random bytes, and lines for the
// console. There are no files: opening one fails as on an empty disk.

const success = 0;
const badDescriptor = 8; // WASI's own numbers of errors: errno in its witx files
const notSupported = 52;
const characterDevice = 2;
const openDescriptors = 3; // standard input, output and error

// Left by a C program that calls exit; a running engine never does.
export class Exit extends Error {
    constructor(readonly code: number) {
        super(`the engine left with code ${code}`);
    }
}

type Import = (...values: never[]) => number | void;

export class Wasi {
    private memory: WebAssembly.Memory | null = null;
    private unfinished = "";

    constructor(private readonly print: (line: string) => void) {}

    attach(memory: WebAssembly.Memory): void {
        this.memory = memory;
    }

    // Functions that no path of the engine needs answer that they are not there.
    imports(module: WebAssembly.Module): WebAssembly.Imports {
        const known = this.functions();
        const functions: Record<string, Import> = {};
        for (const wanted of WebAssembly.Module.imports(module)) {
            if (wanted.module !== "wasi_snapshot_preview1" || wanted.kind !== "function") {
                throw new Error(`the engine asks for ${wanted.module}.${wanted.name}, which nobody has`);
            }
            functions[wanted.name] = known[wanted.name] ?? (() => notSupported);
        }
        return { wasi_snapshot_preview1: functions };
    }

    // Memory moves when it grows, so every call looks anew.
    private get view(): DataView {
        if (!this.memory) {
            throw new Error("the engine called out before it had memory");
        }
        return new DataView(this.memory.buffer);
    }

    private functions(): Record<string, Import> {
        return {
            args_sizes_get: (count: number, bytes: number) => this.writeTwo(count, bytes),
            args_get: () => success,
            environ_sizes_get: (count: number, bytes: number) => this.writeTwo(count, bytes),
            environ_get: () => success,
            clock_time_get: (clock: number, _precision: bigint, result: number) => {
                // 0 is the calendar's; all others only ever run forward.
                const milliseconds = clock === 0 ? Date.now() : performance.now();
                this.view.setBigUint64(result, BigInt(Math.round(milliseconds * 1e6)), true);
                return success;
            },
            random_get: (bytes: number, count: number) => {
                const view = this.view;
                const most = 65536; // getRandomValues gives no more at a time
                for (let at = 0; at < count; at += most) {
                    crypto.getRandomValues(new Uint8Array(view.buffer, bytes + at, Math.min(most, count - at)));
                }
                return success;
            },
            fd_write: (descriptor: number, pieces: number, count: number, written: number) =>
                this.write(descriptor, pieces, count, written),
            fd_fdstat_get: (descriptor: number, result: number) => {
                if (descriptor >= openDescriptors) {
                    return badDescriptor;
                }
                new Uint8Array(this.view.buffer, result, 24).fill(0);
                this.view.setUint8(result, characterDevice);
                return success;
            },
            fd_prestat_get: () => badDescriptor, // no folder is open: how a program learns that there are no files
            fd_close: () => success,
            fd_read: () => badDescriptor,
            fd_seek: () => badDescriptor,
            proc_exit: (code: number) => {
                throw new Exit(code);
            },
        };
    }

    private writeTwo(first: number, second: number): number {
        this.view.setUint32(first, 0, true);
        this.view.setUint32(second, 0, true);
        return success;
    }

    private write(descriptor: number, pieces: number, count: number, written: number): number {
        if (descriptor !== 1 && descriptor !== 2) {
            return badDescriptor;
        }
        const view = this.view;
        const decoder = new TextDecoder();
        let bytes = 0;
        for (let i = 0; i < count; i++) {
            const start = view.getUint32(pieces + 8 * i, true);
            const size = view.getUint32(pieces + 8 * i + 4, true);
            this.unfinished += decoder.decode(new Uint8Array(view.buffer, start, size));
            bytes += size;
        }
        const lines = this.unfinished.split("\n");
        this.unfinished = lines.pop() ?? "";
        lines.forEach((line) => this.print(line));
        view.setUint32(written, bytes, true);
        return success;
    }
}
