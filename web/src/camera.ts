// The eye: turns about a target, pans, zooms, goes to presets, follows a body. Moves are eased, unless the user's
// system asks for less motion.

import { MathUtils, Vector3 } from "three";
import type { PerspectiveCamera } from "three";
import type { CameraDef, Triple } from "./protocol";
import { prefersLessMotion } from "./theme";

export type Preset = "scene" | "front" | "side" | "top" | "corner";
export const presets: readonly Preset[] = ["scene", "front", "side", "top", "corner"];

export const presetNames: Record<Preset, string> = {
    scene: "Scene", front: "Front", side: "Side", top: "Top", corner: "Corner",
};

// Azimuth and elevation of where the eye is, seen from the target.
const directions: Record<Exclude<Preset, "scene">, [number, number]> = {
    front: [-Math.PI / 2, 0.08], side: [0, 0.08], top: [-Math.PI / 2, Math.PI / 2], corner: [-0.9, 0.5],
};

const margin = 1.12; // around what a scene without a camera shows

// The least distance from which a box fits into a picture, seen along `direction` (a unit vector from the box's centre to
// the eye); up and right: tangents of half the angles that can be seen.
export function framingDistance(half: Vector3, direction: Vector3, up: number, right: number): number {
    const sideways = new Vector3(0, 0, 1).cross(direction);
    const across = sideways.lengthSq() > 1e-12 ? sideways.normalize() : new Vector3(1, 0, 0);
    const above = direction.clone().cross(across);
    let distance = 0;
    for (let i = 0; i < 8; ++i) {
        const corner = new Vector3(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z);
        const nearer = corner.dot(direction);
        distance = Math.max(distance, nearer + margin * Math.abs(corner.dot(above)) / up, nearer + margin * Math.abs(corner.dot(across)) / right);
    }
    return distance > 0 ? distance : 1;
}

interface Place {
    target: Vector3;
    azimuth: number;
    elevation: number;
    distance: number;
}

const steepest = Math.PI / 2 - 1e-4;

export class OrbitCamera {
    preset: Preset | null = "scene";
    covered = 0; // share of the picture's height that bars cover
    coveredSide = 0; // share of its width that a panel covers
    private readonly now: Place = { target: new Vector3(), azimuth: -1, elevation: 0.4, distance: 3 };
    private readonly goal: Place = { target: new Vector3(), azimuth: -1, elevation: 0.4, distance: 3 };
    private own: CameraDef | null = null;
    private readonly frameCentre = new Vector3();
    private readonly frameHalf = new Vector3(1, 1, 1); // half its size
    private radius = 1;
    private followed: (() => Vector3) | null = null;
    private readonly offset = new Vector3(); // from what is followed to the target
    private restless = true;

    constructor(readonly camera: PerspectiveCamera, private readonly changed: () => void) {}

    // A new scene: its own camera, or what a picture of it is to hold, and how large it is.
    setScene(own: CameraDef, frame: [Triple, Triple], centre: Vector3, radius: number): void {
        const [low, high] = [new Vector3(...frame[0]), new Vector3(...frame[1])];
        this.own = own;
        this.frameCentre.addVectors(low, high).multiplyScalar(0.5);
        this.frameHalf.subVectors(high, low).multiplyScalar(0.5);
        this.radius = Math.max(radius, this.frameHalf.length());
        this.followed = null;
        this.camera.fov = MathUtils.radToDeg(own.field_of_view);
        this.camera.updateProjectionMatrix();
        this.look("scene", centre);
    }

    // The same places have other numbers: the origin has moved.
    shift(by: Vector3): void {
        this.now.target.add(by);
        this.goal.target.add(by);
        this.wake();
    }

    look(preset: Preset, centre: Vector3): void {
        this.preset = preset;
        if (preset === "scene" && this.own && !this.own.given) {
            this.frameScene(this.own);
        } else if (preset === "scene" && this.own) {
            this.setGoal(this.own.position, this.own.target);
            this.goal.distance *= this.narrowness();
        } else {
            const [azimuth, elevation] = directions[preset === "scene" ? "corner" : preset];
            this.goal.azimuth = nearestTurn(azimuth, this.goal.azimuth);
            this.goal.elevation = elevation;
            this.fit(centre, this.radius);
        }
        this.preset = preset;
        this.wake();
    }

    // All of the frame, from where the engine would look at it, in whatever picture there is.
    private frameScene(own: CameraDef): void {
        const direction = new Vector3(...own.position).sub(new Vector3(...own.target)).normalize();
        const tangent = Math.tan(0.5 * MathUtils.degToRad(this.camera.fov));
        const distance = framingDistance(this.frameHalf, direction, tangent * (1 - this.covered),
            tangent * this.camera.aspect * (1 - this.coveredSide));
        this.setGoal(direction.multiplyScalar(distance).add(this.frameCentre).toArray(), this.frameCentre.toArray());
    }

    // Everything within that sphere, as large as it can be, from where the eye is.
    fit(centre: Vector3, radius: number): void {
        const tangent = Math.tan(0.5 * MathUtils.degToRad(this.camera.fov));
        const half = Math.atan(tangent * Math.min(1 - this.covered, this.camera.aspect));
        this.goal.target.copy(centre);
        this.goal.distance = 1.02 * radius / Math.sin(half);
        this.followed = null;
        this.wake();
    }

    // A scene's camera is chosen for a wide picture without bars and panels; in another one the eye stands back.
    private narrowness(): number {
        return Math.max(1, 1.15 / (this.camera.aspect * (1 - this.coveredSide)), 1 / (1 - 0.6 * this.covered));
    }

    setGoal(position: Triple, target: Triple): void {
        const arm = new Vector3(...position).sub(new Vector3(...target));
        this.goal.target.set(...target);
        this.goal.distance = Math.max(arm.length(), 1e-6);
        this.goal.elevation = MathUtils.clamp(Math.asin(arm.z / this.goal.distance), -steepest, steepest);
        this.goal.azimuth = Math.atan2(arm.y, arm.x);
        this.preset = null;
        this.wake();
    }

    // Goes to the goal at once.
    jump(): void {
        this.now.target.copy(this.goal.target);
        this.now.azimuth = this.goal.azimuth;
        this.now.elevation = this.goal.elevation;
        this.now.distance = this.goal.distance;
        this.wake();
    }

    get view(): { position: Triple; target: Triple } {
        return { position: this.eye(this.goal).toArray(), target: this.goal.target.toArray() };
    }

    // In radians.
    orbit(azimuth: number, elevation: number): void {
        this.goal.azimuth += azimuth;
        this.goal.elevation = MathUtils.clamp(this.goal.elevation + elevation, -steepest, steepest);
        this.preset = null;
        this.wake();
    }

    // By a share of the picture's height.
    pan(right: number, up: number): void {
        const height = 2 * this.goal.distance * Math.tan(0.5 * MathUtils.degToRad(this.camera.fov));
        const move = new Vector3().setFromMatrixColumn(this.camera.matrixWorld, 0).multiplyScalar(right * height)
            .addScaledVector(new Vector3().setFromMatrixColumn(this.camera.matrixWorld, 1), up * height);
        this.goal.target.add(move);
        this.offset.add(move);
        this.preset = null;
        this.wake();
    }

    zoom(factor: number): void {
        this.goal.distance = MathUtils.clamp(this.goal.distance * factor, 1e-3 * this.radius, 60 * this.radius);
        this.preset = null;
        this.wake();
    }

    lookAt(point: Vector3): void {
        this.goal.target.copy(point);
        this.followed = null;
        this.wake();
    }

    follow(where: (() => Vector3) | null): void {
        this.followed = where;
        this.offset.set(0, 0, 0);
        this.wake();
    }

    get following(): boolean {
        return this.followed !== null;
    }

    private wake(): void {
        this.restless = true;
        this.changed();
    }

    private eye(place: Place): Vector3 {
        const level = Math.cos(place.elevation);
        return new Vector3(level * Math.cos(place.azimuth), level * Math.sin(place.azimuth), Math.sin(place.elevation))
            .multiplyScalar(place.distance).add(place.target);
    }

    // Moves towards the goal; called before each picture. True while there is some way to go.
    update(seconds: number): boolean {
        if (this.followed) {
            this.goal.target.addVectors(this.followed(), this.offset);
        } else if (!this.restless) {
            return false;
        }
        const share = prefersLessMotion() ? 1 : 1 - Math.exp(-14 * Math.min(seconds, 0.1));
        const { now, goal } = this;
        now.target.lerp(goal.target, share);
        now.azimuth += share * (goal.azimuth - now.azimuth);
        now.elevation += share * (goal.elevation - now.elevation);
        now.distance *= (goal.distance / now.distance) ** share;
        const left = now.target.distanceTo(goal.target) / goal.distance + Math.abs(goal.azimuth - now.azimuth)
            + Math.abs(goal.elevation - now.elevation) + Math.abs(Math.log(goal.distance / now.distance));
        if (left < 2e-4) {
            this.restless = false;
        }
        this.camera.position.copy(this.eye(now));
        this.camera.lookAt(now.target);
        this.camera.near = Math.max(0.02 * now.distance, 1e-4 * this.radius);
        this.camera.far = now.distance + 80 * this.radius;
        this.camera.updateProjectionMatrix();
        this.camera.updateMatrixWorld();
        this.changed();
        return this.restless;
    }
}

// The same direction, by the shorter way round.
function nearestTurn(angle: number, from: number): number {
    return angle + 2 * Math.PI * Math.round((from - angle) / (2 * Math.PI));
}
