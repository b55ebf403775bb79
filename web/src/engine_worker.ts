// The worker with the WebAssembly engine, if this page was built with one.

export async function startEngineWorker(): Promise<Worker | null> {
    const found = import.meta.glob<new () => Worker>("../engine/worker.ts", { query: "?worker", import: "default" });
    const load = Object.values(found)[0];
    return load ? new (await load())() : null;
}
