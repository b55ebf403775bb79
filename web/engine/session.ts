// Keeps an engine running for the page: lets wall time pass, ships messages both ways, and when the engine dies (a
// trap, no more memory for the engine itself) says so and has a new one ready. What the page asked for is remembered, so
// that `reset`, `reload`, `play`, `continue` or `step` after a death start the same scene again, with the params it had.

import { Engine } from "./engine";
import type { Data } from "./engine";

export interface Outlet {
    post(data: Data): void;
    later(work: () => void, milliseconds: number): void; // one call at a time
}

type Command = Record<string, unknown> & { do?: unknown; id?: unknown };

const tick = 1000 / 120; // ms: twice as often as frames are shown
const startsAgain = new Set(["reset", "reload", "play", "continue", "step"]);
const settings = ["watch", "show", "rate", "speed", "breath", "wind", "inspect"]; // of the client, not of the scene

// What to do to get back to where the page thinks it is.
class Memory {
    private opened: Command | null = null;
    private params: Record<string, unknown> = {};
    private last = new Map<string, Command>();

    note(command: Command): void {
        const what = String(command.do);
        if (what === "open") {
            this.opened = command;
            this.params = { ...((command.params as Record<string, unknown> | undefined) ?? {}) };
        } else if (what === "param") {
            this.params[String(command.name)] = command.value;
        } else if (what === "params") {
            this.params = {};
        } else if (settings.includes(what)) {
            const before = what === "show" ? this.last.get(what) : undefined;
            this.last.set(what, { ...before, ...command });
        }
    }

    // Null when no scene was open.
    commands(id: unknown): Command[] | null {
        if (!this.opened) {
            return null;
        }
        const open: Command = { ...this.opened, params: this.params };
        delete open.id;
        if (id !== undefined) {
            open.id = id;
        }
        const again = [...this.last.values()].map((command) => {
            const copy = { ...command };
            delete copy.id;
            return copy;
        });
        return [open, ...again];
    }
}

export class Session {
    private engine: Engine | null = null;
    private readonly memory = new Memory();
    private died = false; // the engine at hand is a new one, without the scene of the old one
    private waiting = false;
    private then = 0; // ms: when wall time was last told to the engine; 0: it was at rest

    constructor(private readonly module: WebAssembly.Module, private readonly outlet: Outlet) {
        this.guard("start", () => {
            this.engine = new Engine(this.module);
        });
    }

    receive(data: Data): void {
        const command = typeof data === "string" ? parse(data) : null;
        this.guard(command ? String(command.do) : "samples", () => {
            const again = this.died && startsAgain.has(String(command?.do)) ? this.memory.commands(command?.id) : null;
            if (again) {
                this.died = false;
                again.forEach((one) => this.pass(JSON.stringify(one)));
            } else {
                if (command) {
                    this.died = this.died && command.do !== "open";
                    this.memory.note(command);
                }
                this.pass(data);
            }
        }, command?.id);
        this.schedule(0);
    }

    private pass(data: Data): void {
        if (this.engine && !this.engine.receive(data)) {
            throw new Error("answers piled up unread");
        }
        this.ship();
    }

    private ship(): void {
        for (let data = this.engine?.take(); data != null; data = this.engine?.take()) {
            this.outlet.post(data);
        }
    }

    private schedule(milliseconds: number): void {
        if (!this.waiting && this.engine) {
            this.waiting = true;
            this.outlet.later(() => this.run(), milliseconds);
        }
    }

    private run(): void {
        this.waiting = false;
        const now = performance.now();
        const passed = this.then > 0 ? (now - this.then) / 1000 : 0;
        this.then = now;
        this.guard("step", () => {
            this.engine?.advance(passed);
            this.ship();
        });
        let idle = true;
        this.guard("step", () => {
            idle = this.engine?.idle ?? true;
        });
        if (idle) {
            this.then = 0;
        } else {
            this.schedule(Math.max(0, tick - (performance.now() - now)));
        }
    }

    // `id`: of the command being obeyed, which then has its answer.
    private guard(doing: string, work: () => void, id?: unknown): void {
        try {
            work();
        } catch (error) {
            this.bury(doing, error, id);
        }
    }

    // The dead engine's memory cannot be trusted any more, so a new one takes its place.
    private bury(doing: string, reason: unknown, id: unknown): void {
        console.error("sinew:", reason);
        this.engine = null;
        this.died = true;
        const parts = [`The engine stopped (${explain(reason)}).`];
        try {
            this.engine = new Engine(this.module);
            this.engine.receive(JSON.stringify({ do: "hello", protocol: 1 }));
            while (this.engine.take() != null) {
                // The page has had its welcome.
            }
            parts.push("A new one is ready: reset starts the scene again.");
        } catch (error) {
            this.engine = null;
            parts.push(`It cannot be started again (${explain(error)}): load the page anew.`);
        }
        this.outlet.post(tell(parts.join(" "), doing, this.engine !== null, id));
    }
}

// An `error` message of the worker itself. `again`: the scene can be started again.
export function tell(text: string, doing: string, again: boolean, id?: unknown): string {
    return JSON.stringify({ is: "error", text, while: doing, again, ...(typeof id === "number" ? { id } : {}) });
}

export function explain(reason: unknown): string {
    const text = reason instanceof Error ? reason.message : String(reason);
    return reason instanceof RangeError && /call stack/i.test(text) ? "it ran out of stack" : text;
}

function parse(text: string): Command | null {
    try {
        const value: unknown = JSON.parse(text);
        return typeof value === "object" && value !== null ? (value as Command) : null;
    } catch {
        return null; // the engine answers it
    }
}
