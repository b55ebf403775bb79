// Takes the place of the engine's worker in `vite build --mode fake`.

export function startEngineWorker(): Worker {
    return new Worker(new URL("./fake_worker.ts", import.meta.url), { type: "module" });
}
