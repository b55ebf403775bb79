// Takes the place of the engine's worker in `vite build --mode fake`.

export async function startEngineWorker(): Promise<Worker | null> {
    return new Worker(new URL("./fake_worker.ts", import.meta.url), { type: "module" });
}
