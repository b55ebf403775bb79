// Mouse, pen and fingers on the canvas: who gets a press is decided here. A press on a thing pulls it, beside things it
// turns the view; two fingers move and zoom; in blow mode a press blows.

import type { Aim } from "./aim";
import type { OrbitCamera } from "./camera";
import type { Drag } from "./drag";
import type { Pick, SceneView } from "./scene_view";

type Doing = "wait" | "drag" | "orbit" | "pan" | "blow" | "pinch" | "done";

interface Finger {
    x: number;
    y: number;
}

export interface PointerActions {
    select(body: number): void;
    lookAt(pick: Pick): void;
}

const clickReach = 4; // pixels a click may wander
const mouseReach = 6; // pixels beside a wire that still hit it
const fingerReach = 16;
const doubleTime = 350; // ms between two clicks
const turnRate = Math.PI; // rad for the height of the canvas

export class Pointer {
    private fingers = new Map<number, Finger>();
    private doing: Doing = "done";
    private start: Finger = { x: 0, y: 0 };
    private pick: Pick | null = null;
    private lastClick = { time: -Infinity, body: -2 };
    private hoverAsked = false;
    private at: Finger | null = null;
    private readonly canvas: HTMLCanvasElement;

    constructor(private readonly view: SceneView, private readonly camera: OrbitCamera, private readonly drag: Drag,
                private readonly aim: Aim, private readonly act: PointerActions) {
        this.canvas = view.canvas;
        this.canvas.addEventListener("pointerdown", (event) => this.down(event));
        this.canvas.addEventListener("pointermove", (event) => this.move(event));
        this.canvas.addEventListener("pointerup", (event) => this.up(event, true));
        this.canvas.addEventListener("pointercancel", (event) => this.up(event, false));
        this.canvas.addEventListener("wheel", (event) => {
            event.preventDefault();
            const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
            this.camera.zoom(Math.exp(Math.max(-60, Math.min(60, event.deltaY * lines)) * (event.ctrlKey ? 0.01 : 0.0022)));
        }, { passive: false });
        this.canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    }

    private place(event: PointerEvent): Finger {
        const box = this.canvas.getBoundingClientRect();
        return { x: event.clientX - box.left, y: event.clientY - box.top };
    }

    private down(event: PointerEvent): void {
        const at = this.place(event);
        this.canvas.focus({ preventScroll: true });
        this.canvas.setPointerCapture(event.pointerId);
        this.fingers.set(event.pointerId, at);
        if (this.fingers.size === 2) {
            this.drag.end();
            this.aim.blow(false);
            this.doing = "pinch";
            return;
        }
        if (this.fingers.size > 2) {
            return;
        }
        this.start = at;
        this.pick = null;
        this.doing = this.choose(event, at);
        if (this.doing === "blow") {
            this.aim.blowAt(at.x, at.y);
        }
    }

    private choose(event: PointerEvent, at: Finger): Doing {
        if (this.aim.mode) {
            return event.button === 0 && !event.ctrlKey ? "blow" : "orbit";
        }
        if (event.button !== 0 || event.shiftKey) {
            return "pan";
        }
        if (!event.ctrlKey && !event.altKey && !event.metaKey) {
            this.pick = this.view.pick(at.x, at.y, event.pointerType === "touch" ? fingerReach : mouseReach);
        }
        // Nothing is pulled until the pointer moves: it may be a click.
        return "wait";
    }

    private movable(pick: Pick | null): pick is Pick {
        return pick !== null && this.view.message?.bodies[pick.body]?.static === false;
    }

    private move(event: PointerEvent): void {
        const at = this.place(event);
        const before = this.fingers.get(event.pointerId);
        this.at = at;
        if (!before) {
            this.hover(event);
            return;
        }
        if (this.doing === "pinch") {
            this.pinch(event.pointerId, before, at);
        } else {
            this.moveOne(before, at);
        }
        this.fingers.set(event.pointerId, at);
    }

    private moveOne(before: Finger, at: Finger): void {
        if (this.doing === "wait" && Math.hypot(at.x - this.start.x, at.y - this.start.y) > clickReach) {
            this.doing = this.movable(this.pick) ? "drag" : "orbit";
            if (this.doing === "drag") {
                this.drag.begin(this.pick!);
                this.canvas.style.cursor = "grabbing";
            }
        }
        const height = Math.max(1, this.canvas.clientHeight);
        if (this.doing === "drag") {
            this.drag.move(at.x, at.y);
        } else if (this.doing === "orbit") {
            this.camera.orbit(-turnRate * (at.x - before.x) / height, turnRate * (at.y - before.y) / height);
        } else if (this.doing === "pan") {
            this.camera.pan(-(at.x - before.x) / height, (at.y - before.y) / height);
        } else if (this.doing === "blow") {
            this.aim.point(at.x, at.y);
        }
    }

    private pinch(id: number, before: Finger, at: Finger): void {
        const other = [...this.fingers].find(([key]) => key !== id)?.[1];
        if (!other) {
            return;
        }
        const height = Math.max(1, this.canvas.clientHeight);
        const old = Math.hypot(before.x - other.x, before.y - other.y);
        const now = Math.hypot(at.x - other.x, at.y - other.y);
        if (old > 1 && now > 1) {
            this.camera.zoom(old / now);
        }
        this.camera.pan(-(at.x - before.x) / (2 * height), (at.y - before.y) / (2 * height));
    }

    private up(event: PointerEvent, intended: boolean): void {
        this.fingers.delete(event.pointerId);
        if (this.doing === "wait" && intended) {
            this.click(event);
        }
        this.drag.end();
        if (this.doing === "blow") {
            this.aim.blow(false);
        }
        // The finger that is left must not turn the view by a jump.
        this.doing = this.fingers.size > 0 ? "pinch" : "done";
        this.canvas.style.cursor = "";
    }

    private click(event: PointerEvent): void {
        const body = this.pick?.body ?? -1;
        const twice = event.timeStamp - this.lastClick.time < doubleTime && this.lastClick.body === body;
        this.lastClick = { time: event.timeStamp, body };
        if (twice && this.pick) {
            this.act.lookAt(this.pick);
        } else {
            this.act.select(body);
        }
    }

    // What can be taken looks so; aiming follows the pointer. Once for each picture at most.
    private hover(event: PointerEvent): void {
        if (this.hoverAsked || event.pointerType === "touch") {
            return;
        }
        this.hoverAsked = true;
        requestAnimationFrame(() => {
            this.hoverAsked = false;
            const at = this.at;
            if (!at || this.fingers.size > 0) {
                return;
            }
            this.aim.hover(at.x, at.y);
            const pick = this.aim.mode ? null : this.view.pick(at.x, at.y, mouseReach);
            this.canvas.style.cursor = this.aim.mode ? "crosshair" : this.movable(pick) ? "grab" : pick ? "pointer" : "";
        });
    }
}
