// Runs the built worker script in a thread of node, with the little of a browser's worker that it looks at.
import { webcrypto } from "node:crypto";
import { parentPort, workerData } from "node:worker_threads";

globalThis.self = globalThis;
globalThis.crypto ??= webcrypto; // Node 18 has it there alone
globalThis.location = { href: workerData.address };
globalThis.postMessage = (data, transfer) => parentPort.postMessage(data, transfer);
await import(workerData.script);
parentPort.on("message", (data) => globalThis.onmessage({ data })); // what came before has waited
