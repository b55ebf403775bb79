// Where the breath goes. Held in blow mode, the pointer blows from the eye's side towards where it is. A key, the button
// and the microphone do so where it is over something that moves, and blow out of the mouth that the scene has for it elsewhere.

import {
    AdditiveBlending, Color, ConeGeometry, DoubleSide, Group, Mesh, MeshBasicMaterial, NormalBlending, Quaternion,
    RingGeometry, Vector3,
} from "three";
import type { Connection } from "./connection";
import type { SceneView } from "./scene_view";
import type { Theme } from "./theme";

const usualSpread = 0.15; // rad, half the angle

export class Aim {
    mode = false; // pointer presses blow instead of dragging
    kind: "cone" | "jet" = "jet";
    strength = 1; // of a full blow, when the pointer or the key blows
    private blowing = false;
    private heard = 0; // share of full speed that the microphone gives now
    private microphone = false;
    private readonly from = new Vector3();
    private readonly towards = new Vector3();
    private pointer: { x: number; y: number } | null = null;
    private aimed = false;
    private fromMouth = false;
    private spread = usualSpread; // as it is drawn
    private asked = false;
    private readonly group = new Group();
    private readonly cone: Mesh<ConeGeometry, MeshBasicMaterial>;
    private readonly ring: Mesh<RingGeometry, MeshBasicMaterial>;
    constructor(private readonly view: SceneView, private readonly connection: () => Connection | null,
                private readonly changed: () => void) {
        const paint = (opacity: number) => new MeshBasicMaterial({
            color: new Color("#2b8fb3"), transparent: true, opacity, depthWrite: false, side: DoubleSide,
            toneMapped: false,
        });
        this.cone = new Mesh(new ConeGeometry(1, 1, 40, 1, true).rotateX(-Math.PI / 2).translate(0, 0, 0.5), paint(0.2));
        this.ring = new Mesh(new RingGeometry(0.92, 1, 48), paint(0.8));
        this.ring.material.depthTest = false;
        this.group.add(this.cone, this.ring);
        this.group.visible = false;
        this.group.renderOrder = 7;
        view.scene.add(this.group);
    }

    setTheme(theme: Theme): void {
        this.cone.material.blending = theme === "dark" ? AdditiveBlending : NormalBlending;
    }

    get active(): boolean {
        return this.blowing;
    }

    // The pointer is there. Looking what is under it takes time, so only when it matters.
    hover(x: number, y: number): void {
        this.pointer = { x, y };
        if (this.wanted()) {
            this.point(x, y);
        }
    }

    // Aims at what is under that point of the canvas, or at the middle of the scene's depth there.
    point(x: number, y: number): void {
        this.pointer = { x, y };
        this.aimAt(x, y);
    }

    private aimAt(x: number, y: number): void {
        const pick = this.view.pick(x, y, 0);
        const ray = this.view.ray(x, y).ray;
        if (pick) {
            this.towards.copy(pick.world);
        } else {
            const depth = Math.max(this.view.centre.clone().sub(ray.origin).dot(ray.direction), this.view.camera.near);
            ray.at(depth, this.towards);
        }
        this.aim(ray.direction);
    }

    // Out of the scene's own mouth, past the middle of what moves.
    private aimFromMouth(): boolean {
        const mouth = this.view.message?.winds.find((wind) => wind.breath && ["cone", "jet", "uniform"].includes(wind.kind));
        if (!mouth) {
            return false;
        }
        const along = new Vector3(...mouth.direction).normalize();
        this.from.set(...mouth.position);
        const depth = Math.max(this.view.centre.clone().sub(this.from).dot(along), 0.1 * this.view.radius);
        this.towards.copy(this.from).addScaledVector(along, depth);
        this.from.addScaledVector(along, -mouth.length);
        this.spread = mouth.kind === "cone" ? Math.atan2(mouth.radius, mouth.length) : usualSpread;
        this.fromMouth = this.aimed = true;
        this.place();
        this.send();
        return true;
    }

    // Where the pointer is, if that moves; out of the scene's mouth; where the pointer is all the same; or where there is
    // most to blow at before it ever was over the scene.
    private aimAnywhere(): void {
        const pointed = this.pointer !== null && this.movable(this.pointer.x, this.pointer.y) >= 0;
        if (!pointed && this.aimFromMouth()) {
            return;
        }
        const place = this.pointer ?? this.widest();
        if (place) {
            this.aimAt(place.x, place.y);
            return;
        }
        this.towards.copy(this.view.centre);
        this.aim(this.view.centre.clone().sub(this.view.camera.position).normalize());
    }

    private movable(x: number, y: number): number {
        const body = this.view.pick(x, y, 0)?.body ?? -1;
        return this.view.message?.bodies[body]?.static === false ? body : -1;
    }

    // The middle of the widest thing that can move, as the eye sees it: of a grid's points on it, the one with the most neighbours.
    private widest(): { x: number; y: number } | null {
        const { clientWidth, clientHeight } = this.view.canvas;
        const columns = 32;
        const rows = 20;
        const at = (i: number, j: number) => ({ x: clientWidth * (i + 0.5) / columns, y: clientHeight * (j + 0.5) / rows });
        const bodies: number[] = [];
        for (let j = 0; j < rows; ++j) {
            for (let i = 0; i < columns; ++i) {
                const { x, y } = at(i, j);
                bodies.push(this.movable(x, y));
            }
        }
        let best = -1;
        let most = 0;
        bodies.forEach((body, k) => {
            let count = 0;
            for (let dj = -2; body >= 0 && dj <= 2; ++dj) {
                for (let di = -2; di <= 2; ++di) {
                    const i = k % columns + di;
                    const near = i >= 0 && i < columns ? bodies[k + dj * columns + di] : undefined;
                    count += near === body ? 1 / (1 + di * di + dj * dj) : 0;
                }
            }
            if (count > most) {
                best = k;
                most = count;
            }
        });
        return best >= 0 ? at(best % columns, Math.floor(best / columns)) : null;
    }

    private aim(direction: Vector3): void {
        const distance = Math.min(Math.max(0.7 * this.view.radius, 1e-3), this.view.camera.position.distanceTo(this.towards));
        this.from.copy(this.towards).addScaledVector(direction, -distance);
        this.spread = usualSpread;
        this.fromMouth = false;
        this.aimed = true;
        this.place();
        this.send();
    }

    private send(): void {
        if (this.asked || !this.wanted()) {
            return;
        }
        this.asked = true;
        requestAnimationFrame(() => {
            this.asked = false;
            this.sendNow();
        });
    }

    private sendNow(): void {
        this.connection()?.send(this.fromMouth ? { do: "wind", aimed: false } : {
            do: "wind", from: this.from.toArray(), towards: this.towards.toArray(), spread: usualSpread, kind: this.kind,
        });
    }

    private wanted(): boolean {
        return this.mode || this.blowing || this.microphone;
    }

    // Blows at that point of the canvas, whatever is there.
    blowAt(x: number, y: number): void {
        this.point(x, y);
        this.setBlowing(true);
    }

    blow(on: boolean): void {
        if (on && !this.blowing) {
            this.aimAnywhere();
        }
        this.setBlowing(on);
    }

    private setBlowing(on: boolean): void {
        if (on === this.blowing) {
            return;
        }
        this.blowing = on;
        if (on) {
            this.sendNow();
        }
        this.connection()?.send({ do: "blow", strength: on ? this.strength : 0 });
        this.place();
        this.changed();
    }

    setMode(on: boolean): void {
        this.mode = on;
        if (!on) {
            this.blow(false);
        }
        this.place();
        this.changed();
    }

    setMicrophone(on: boolean): void {
        this.microphone = on;
        if (on) {
            // On its way to the button the pointer was anywhere.
            if (this.pointer && this.movable(this.pointer.x, this.pointer.y) < 0) {
                this.pointer = null;
            }
            this.aimAnywhere();
            this.sendNow();
        }
        this.place();
    }

    hear(share: number): void {
        if (Math.abs(share - this.heard) > 0.01) {
            this.heard = share;
            this.place();
        }
    }

    // A new scene has other places.
    forget(): void {
        this.aimed = false;
        this.setBlowing(false); // the engine would go on blowing at the old place
        this.place();
        if (this.wanted()) {
            this.aimAnywhere();
        }
    }

    private place(): void {
        this.group.visible = this.aimed && this.wanted();
        const along = new Vector3().subVectors(this.towards, this.from);
        const length = along.length();
        if (length > 0) {
            this.group.position.copy(this.from);
            this.group.quaternion.copy(new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), along.divideScalar(length)));
            const width = length * Math.tan(this.spread);
            this.cone.scale.set(width, width, length);
            this.ring.scale.setScalar(width);
            this.ring.position.z = length;
        }
        const share = this.blowing ? this.strength : this.heard;
        this.cone.material.opacity = 0.06 + 0.3 * Math.min(share, 1);
        this.ring.material.opacity = 0.5 + 0.5 * Math.min(share, 1);
        this.view.redraw();
    }
}
