// The worker of a static site: loads sinew.wasm, which lies beside the page, and talks as docs/protocol.md says. What
// arrives before the engine is ready waits.

import type { Data } from "./engine";
import { Session, explain, tell } from "./session";

// Of a worker's global scope, what is used here.
interface Scope {
    location: { href: string };
    onmessage: ((event: { data: Data }) => void) | null;
    postMessage(data: Data | null, transfer: ArrayBuffer[]): void;
}

const scope = self as unknown as Scope;

// Timers wait 4 ms at least; a message to oneself comes at once, after those of the page.
const channel = new MessageChannel();
let pending: (() => void) | null = null;
channel.port1.onmessage = () => {
    const work = pending;
    pending = null;
    work?.();
};

function later(work: () => void, milliseconds: number): void {
    if (milliseconds >= 1) {
        setTimeout(work, milliseconds);
    } else {
        pending = work;
        channel.port2.postMessage(0);
    }
}

function post(data: Data): void {
    scope.postMessage(data, typeof data === "string" ? [] : [data]);
}

async function compile(address: URL): Promise<WebAssembly.Module> {
    const response = await fetch(address);
    if (!response.ok) {
        throw new Error(`${address.pathname} cannot be had: ${response.status} ${response.statusText}`);
    }
    if (response.headers.get("Content-Type")?.startsWith("application/wasm")) {
        return WebAssembly.compileStreaming(response);
    }
    return WebAssembly.compile(await response.arrayBuffer()); // a host that does not know the type
}

async function start(): Promise<void> {
    const early: Data[] = [];
    scope.onmessage = (event) => early.push(event.data);
    // The script has run. Until then browsers keep the page's messages on the page's own thread; from here on a busy page
    // does not keep the engine waiting.
    setTimeout(() => scope.postMessage(null, []), 0);
    try {
        const session = new Session(await compile(new URL("../sinew.wasm", scope.location.href)), { post, later });
        early.forEach((data) => session.receive(data));
        scope.onmessage = (event) => session.receive(event.data);
    } catch (error) {
        const old = error instanceof WebAssembly.CompileError;
        const hint = old ? "; a browser of 2023 or later is needed" : "";
        post(tell(`The engine could not be started (${explain(error)})${hint}.`, "start", false));
    }
}

void start();
