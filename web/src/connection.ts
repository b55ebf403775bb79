// The way to an engine: a WebSocket to the server this page came from, or the WebAssembly worker of a
// static site. Both carry the same messages. A lost socket is sought again, ever less often.

import { startEngineWorker } from "./engine_worker";
import { commandToWorld, decodeBinary, decodeText, protocolVersion, sceneFromOrigin } from "./protocol";
import type { Binary, Command, ErrorMessage, FileBytes, FileKind, Frame, Mesh, Message, Triple } from "./protocol";

export type LinkState = "connecting" | "open" | "stuck" | "lost" | "failed";

export interface Handlers {
    message(message: Message): void;
    frame(frame: Frame): void;
    mesh(mesh: Mesh): void;
    state(state: LinkState, reason?: string): void;
}

interface Carrier {
    send(data: string | ArrayBuffer): void;
    close(): void;
}

export type EngineKind = "native" | "wasm";

const socketAddress = "live"; // relative to the page

const firstDelay = 250;
const longestDelay = 8000;

// Looks, one a second, without a word from the engine: until it is asked whether it is there, until it counts as stuck,
// and the same before its first word, when it may still be on its way here.
const askAfter = 2;
const stuckAfter = 6;
const startsWithin = 30;

// Which engine is behind the page, by its <meta name="engine">: the native one as built, the other on a static site.
export function engineKind(): EngineKind {
    return document.querySelector('meta[name="engine"]')?.getAttribute("content") === "wasm" ? "wasm" : "native";
}

export class Connection {
    private carrier: Carrier | null = null;
    private nextId = 1;
    private waiting = new Map<number, { resolve(message: Message): void; reject(error: Error): void }>();
    private files = new Map<number, (file: FileBytes) => void>();
    private delay = firstDelay;
    private timer = 0;
    private failures = 0; // to get through, one after another
    private newest: Frame | null = null;
    private frameAsked = false;
    private seen = -1; // the newest generation; frames of older ones are late
    private silence = 0; // looks since the engine's last word
    private spoken = false; // it has said something
    private stuck = false;
    private closedBefore = false; // a scene is being opened, and `closed`, which answers `hello`, says nothing new
    private worker: Worker | null = null;
    private origin: Triple = [0, 0, 0]; // of the scene that is open

    private handlers: Handlers | null = null;
    private early: (() => void)[] = []; // what came before there was anybody to hear it

    constructor(private readonly kind: EngineKind) {}

    // From now on everything goes there, beginning with what has come so far.
    serve(handlers: Handlers): void {
        this.handlers = handlers;
        this.early.splice(0).forEach((tell) => tell());
        this.askForPicture();
    }

    private tell(tell: (handlers: Handlers) => void): void {
        const now = () => this.handlers && tell(this.handlers);
        if (this.handlers) {
            now();
        } else {
            this.early.push(now);
        }
    }

    // `first` goes out with the first `hello` to an engine of the page's own, which has no scene yet and nobody else
    // to please: it builds its scene while the page is still being read. A server may show one already.
    //
    // Resolves when the engine can do without this thread. A worker cannot, until its script runs.
    start(first: Command | null): Promise<void> {
        this.tell((handlers) => handlers.state("connecting"));
        window.setInterval(() => this.look(), 1000);
        if (this.kind === "native") {
            this.startSocket();
            return Promise.resolve();
        }
        return this.startWorker(first);
    }

    // An engine of the page's own can be started anew; a server is started by whoever has its terminal.
    get canRestart(): boolean {
        return this.kind === "wasm";
    }

    // A new engine takes the place of one that hangs or has died, and knows nothing of what the old one did.
    restart(): void {
        this.worker?.terminate();
        this.worker = null;
        this.lose("");
        void this.startWorker(null);
    }

    // Counts looks and not seconds, so that a machine that slept wakes up to no alarm. Nobody waits in a hidden page.
    private look(): void {
        if (!this.carrier || document.hidden) {
            this.silence = 0;
            return;
        }
        this.silence += 1;
        if (this.silence === askAfter && this.spoken) {
            this.send({ do: "ping", t: 0 });
        }
        if (this.silence >= (this.spoken ? stuckAfter : startsWithin) && !this.stuck) {
            this.stuck = true;
            this.tell((handlers) => handlers.state("stuck"));
        }
    }

    private hear(): void {
        this.silence = 0;
        this.spoken = true;
        if (this.stuck) {
            this.stuck = false;
            this.tell((handlers) => handlers.state("open"));
        }
    }

    send(command: Command): void {
        this.carrier?.send(JSON.stringify(commandToWorld(command, this.origin)));
    }

    sendBinary(buffer: ArrayBuffer): void {
        this.carrier?.send(buffer);
    }

    // Sends with an id; the promise is settled by the answer.
    request(command: Command): Promise<Message> {
        const carrier = this.carrier;
        if (!carrier) {
            return Promise.reject(new Error("not connected"));
        }
        const id = this.nextId++;
        return new Promise((resolve, reject) => {
            this.waiting.set(id, { resolve, reject });
            carrier.send(JSON.stringify({ ...command, id }));
        });
    }

    // Asks for a file, which answers by its id.
    requestFile(what: FileKind): Promise<FileBytes> {
        const id = this.nextId;
        return new Promise((resolve, reject) => {
            this.files.set(id, resolve);
            this.request({ do: "file", what }).catch((error: Error) => {
                this.files.delete(id);
                reject(error);
            });
        });
    }

    // A frame that waits to be drawn is not to be: something about its contents has changed.
    forgetFrame(): void {
        this.newest = null;
    }

    private startSocket(): void {
        const address = new URL(socketAddress, document.baseURI);
        address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
        let socket: WebSocket;
        try {
            socket = new WebSocket(address, "sinew");
        } catch (error) {
            this.tell((handlers) => handlers.state("failed", String(error)));
            return;
        }
        socket.binaryType = "arraybuffer";
        socket.onopen = () => {
            this.delay = firstDelay;
            this.failures = 0;
            this.open({
                send: (data) => {
                    if (socket.readyState === WebSocket.OPEN) {
                        socket.send(data);
                    }
                },
                close: () => socket.close(),
            });
        };
        socket.onmessage = (event: MessageEvent<string | ArrayBuffer>) => this.receive(event.data);
        socket.onclose = () => {
            ++this.failures;
            this.lose(this.failures > 3 ? "If it was started again, open the address that it printed." : "");
            window.clearTimeout(this.timer);
            this.timer = window.setTimeout(() => this.startSocket(), this.delay);
            this.delay = Math.min(2 * this.delay, longestDelay);
        };
    }

    private startWorker(first: Command | null): Promise<void> {
        const worker = startEngineWorker();
        let resolve = () => {};
        const running = new Promise<void>((done) => {
            resolve = done;
        });
        this.worker = worker;
        worker.onerror = (event) => {
            resolve();
            this.lose(event.message);
            this.tell((handlers) => handlers.state("failed", event.message || "The engine could not be started."));
        };
        worker.onmessage = (event: MessageEvent<string | ArrayBuffer | null>) => {
            resolve();
            if (this.worker === worker && event.data !== null) {
                this.receive(event.data);
            }
        };
        this.open({
            send: (data) => worker.postMessage(data, typeof data === "string" ? [] : [data]),
            close: () => worker.terminate(),
        });
        if (first) {
            this.closedBefore = true;
            this.send(first);
        }
        return running;
    }

    private open(carrier: Carrier): void {
        this.carrier = carrier;
        this.seen = -1;
        this.silence = 0;
        this.spoken = this.stuck = this.closedBefore = false;
        this.tell((handlers) => handlers.state("open"));
        this.send({ do: "hello", protocol: protocolVersion, loading: true });
    }

    private lose(reason: string): void {
        this.carrier = null;
        this.newest = null;
        for (const waiter of this.waiting.values()) {
            waiter.reject(new Error(reason || "the engine went away"));
        }
        this.waiting.clear();
        this.files.clear();
        this.stuck = false;
        this.tell((handlers) => handlers.state("lost", reason));
    }

    private receive(data: string | ArrayBuffer): void {
        this.hear();
        if (typeof data === "string") {
            const told = decodeText(data);
            const message = told?.is === "scene" ? sceneFromOrigin(told) : told;
            if (message?.is === "closed" && this.closedBefore) {
                this.closedBefore = false;
            } else if (message) {
                this.answer(message);
                this.tell((handlers) => handlers.message(message));
            }
            return;
        }
        let binary: Binary | null;
        try {
            binary = decodeBinary(data);
        } catch (error) {
            console.warn("sinew: a message cannot be read:", error);
            return;
        }
        if (binary?.kind === "frame") {
            this.keepNewest(binary);
        } else if (binary?.kind === "file") {
            const id = binary.id;
            this.waiting.delete(id);
            this.files.get(id)?.(binary);
            this.files.delete(id);
        } else if (binary) {
            this.tell((handlers) => handlers.mesh(binary));
        }
    }

    private answer(message: Message): void {
        if (message.is === "scene") {
            this.seen = message.generation;
            this.origin = message.origin;
        }
        const id = message.is === "reply" || message.is === "error" ? message.id : undefined;
        const waiter = id === undefined ? undefined : this.waiting.get(id);
        if (waiter && id !== undefined) {
            this.waiting.delete(id);
            if (message.is === "error") {
                waiter.reject(new Error((message as ErrorMessage).text));
            } else {
                waiter.resolve(message);
            }
        }
    }

    // Frames may come faster than the display shows them: only the newest is ever drawn.
    private keepNewest(frame: Frame): void {
        if (frame.generation !== this.seen) {
            return;
        }
        this.newest = frame;
        this.askForPicture();
    }

    private askForPicture(): void {
        if (!this.frameAsked && this.handlers) {
            this.frameAsked = true;
            requestAnimationFrame(() => {
                this.frameAsked = false;
                const newest = this.newest;
                this.newest = null;
                if (newest) {
                    this.handlers?.frame(newest);
                }
            });
        }
    }
}
