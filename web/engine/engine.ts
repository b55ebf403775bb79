// One engine: an instance of sinew.wasm with a live world and this client in it. See engine.c.

import { Wasi } from "./wasi";

export type Data = string | ArrayBuffer;

interface Exports {
    memory: WebAssembly.Memory;
    _initialize(): void;
    sn_web_start(historyBytes: number): number;
    sn_web_error(): number;
    sn_web_buffer(size: number): number;
    sn_web_receive(size: number, binary: number): number;
    sn_web_advance(seconds: number): void;
    sn_web_take(): number;
    sn_web_message_data(): number;
    sn_web_message_size(): number;
    sn_web_message_is_binary(): number;
    sn_web_is_idle(): number;
}

// Steps that can be gone back to; the whole engine has at most 1 GiB (web/engine/CMakeLists.txt).
const historyBytes = 64 * 1024 * 1024;

export class Engine {
    private readonly exports: Exports;

    constructor(module: WebAssembly.Module) {
        const wasi = new Wasi((line) => console.warn(`sinew: ${line}`));
        const instance = new WebAssembly.Instance(module, wasi.imports(module));
        this.exports = instance.exports as unknown as Exports;
        wasi.attach(this.exports.memory);
        this.exports._initialize();
        if (!this.exports.sn_web_start(historyBytes)) {
            throw new Error(this.text(this.exports.sn_web_error()));
        }
    }

    // False: the engine has dropped its client, since nobody took the answers.
    receive(data: Data): boolean {
        const bytes = typeof data === "string" ? new TextEncoder().encode(data) : new Uint8Array(data);
        const place = this.exports.sn_web_buffer(bytes.length);
        if (place === 0) {
            throw new Error(`no memory for a message of ${bytes.length} bytes`);
        }
        new Uint8Array(this.exports.memory.buffer, place, bytes.length).set(bytes);
        return this.exports.sn_web_receive(bytes.length, typeof data === "string" ? 0 : 1) !== 0;
    }

    advance(seconds: number): void {
        this.exports.sn_web_advance(seconds);
    }

    // The next message for the page, copied out of the engine's memory; null: none now.
    take(): Data | null {
        if (!this.exports.sn_web_take()) {
            return null;
        }
        const place = this.exports.sn_web_message_data();
        const size = this.exports.sn_web_message_size();
        const copy = this.exports.memory.buffer.slice(place, place + size);
        return this.exports.sn_web_message_is_binary() ? copy : new TextDecoder().decode(copy);
    }

    // Nothing to do until a message comes.
    get idle(): boolean {
        return this.exports.sn_web_is_idle() !== 0;
    }

    private text(place: number): string {
        const bytes = new Uint8Array(this.exports.memory.buffer);
        return new TextDecoder().decode(bytes.slice(place, bytes.indexOf(0, place)));
    }
}
