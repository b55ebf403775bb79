// The worker with the WebAssembly engine.

export function startEngineWorker(): Worker {
    return new Worker(new URL("../engine/worker.ts", import.meta.url), { type: "module" });
}
