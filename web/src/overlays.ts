// What is drawn over the scene to explain it: contacts and their forces, joints, centres of mass, frames of
// bodies, the wind, names.

import {
    Box3, BufferAttribute, BufferGeometry, Color, ConeGeometry, CustomBlending, CylinderGeometry, DynamicDrawUsage, InstancedMesh,
    LineBasicMaterial, LineSegments, Matrix4, MeshBasicMaterial, OneFactor, OneMinusSrcAlphaFactor, Quaternion, SphereGeometry,
    SrcAlphaFactor, Vector3, ZeroFactor,
} from "three";
import type { Scene } from "three";
import { fill, find, format, make } from "./element";
import { contactWords, jointWords } from "./protocol";
import type { Frame, SceneMessage } from "./protocol";
import type { SceneView } from "./scene_view";
import type { Theme } from "./theme";

export const overlayNames = {
    contacts: "Contact points",
    forces: "Contact forces",
    joints: "Joints",
    centres: "Centres of mass",
    wind: "Wind",
    frames: "Frames of bodies",
    labels: "Names",
    wireframe: "Wire frames",
    transparent: "See through",
    shadow: "Shadows",
} as const;

export type OverlayName = keyof typeof overlayNames;
export type OverlayState = Record<OverlayName, boolean>;

export function defaultOverlays(): OverlayState {
    return {
        contacts: false, forces: false, joints: false, centres: false, wind: false, frames: false, labels: false,
        wireframe: false, transparent: false, shadow: true,
    };
}

// Things that grow in number: an instanced mesh that is made anew, twice as large, when it is full.
class Marks {
    private mesh: InstancedMesh;

    constructor(private readonly scene: Scene, private readonly geometry: BufferGeometry,
                private readonly material: MeshBasicMaterial, capacity = 64, private readonly order = 5) {
        this.mesh = this.makeMesh(capacity);
    }

    private makeMesh(capacity: number): InstancedMesh {
        const mesh = new InstancedMesh(this.geometry, this.material, capacity);
        mesh.instanceMatrix.setUsage(DynamicDrawUsage);
        mesh.frustumCulled = false;
        mesh.renderOrder = this.order;
        mesh.count = 0;
        this.scene.add(mesh);
        return mesh;
    }

    set(count: number, place: (index: number, into: Matrix4) => void): void {
        if (count === 0 && this.mesh.count === 0) {
            return;
        }
        if (count > this.mesh.instanceMatrix.count) {
            this.scene.remove(this.mesh);
            this.mesh.dispose();
            this.mesh = this.makeMesh(2 * count);
        }
        const matrix = new Matrix4();
        for (let i = 0; i < count; ++i) {
            place(i, matrix);
            this.mesh.setMatrixAt(i, matrix);
        }
        this.mesh.count = count;
        this.mesh.instanceMatrix.needsUpdate = true;
    }
}

// A streak of air, of length 1 along z: it rises out of nothing and ends in a small head. Four sides: there are many.
function streakShape(): BufferGeometry {
    const shaft = new CylinderGeometry(0.012, 0.004, 0.86, 4, 4).rotateX(Math.PI / 2).translate(0, 0, 0.43);
    const head = new ConeGeometry(0.036, 0.16, 6).rotateX(Math.PI / 2).translate(0, 0, 0.92);
    const shape = join([shaft, head]);
    const positions = shape.getAttribute("position");
    const colours = new Float32Array(4 * positions.count).fill(1);
    for (let i = 0; i < positions.count; ++i) {
        colours[4 * i + 3] = Math.min(1, Math.max(0, positions.getZ(i)) ** 1.5);
    }
    shape.setAttribute("color", new BufferAttribute(colours, 4));
    return shape;
}

// An arrow of length 1 along z, its shaft 0.03 thick.
function arrowShape(): BufferGeometry {
    const shaft = new CylinderGeometry(0.022, 0.022, 0.78, 8).rotateX(Math.PI / 2).translate(0, 0, 0.39);
    const head = new ConeGeometry(0.065, 0.24, 14).rotateX(Math.PI / 2).translate(0, 0, 0.88);
    return join([shaft, head]);
}

// Geometries with the same attributes as one.
function join(parts: BufferGeometry[]): BufferGeometry {
    const positions: number[] = [];
    const indices: number[] = [];
    for (const part of parts) {
        const first = positions.length / 3;
        positions.push(...part.getAttribute("position").array);
        indices.push(...[...part.index!.array].map((index) => index + first));
        part.dispose();
    }
    const whole = new BufferGeometry();
    whole.setAttribute("position", new BufferAttribute(new Float32Array(positions), 3));
    whole.setIndex(indices);
    return whole;
}

const up = new Vector3(0, 0, 1);

// Along a vector, `scale` times as long, not thinner than a tenth of the greatest.
function arrowMatrix(at: Vector3, vector: Vector3, scale: number, longest: number, into: Matrix4): void {
    const length = vector.length() * scale;
    const turn = new Quaternion();
    if (length > 0) {
        turn.setFromUnitVectors(up, vector.clone().normalize());
    }
    const thickness = Math.min(Math.max(length, 0.35 * longest), longest);
    into.compose(at, turn, new Vector3(thickness, thickness, Math.max(length, 1e-9)));
}

export class Overlays {
    state = defaultOverlays();
    private readonly contactMarks: Marks;
    private readonly forceMarks: Marks;
    private readonly windMarks: Marks[]; // behind everything, and a breath of it in front
    private readonly windPaint: MeshBasicMaterial[];
    private readonly centreMarks: Marks;
    private readonly jointAxes: Axes;
    private readonly bodyAxes: Axes;
    private readonly labels = find("labels");
    private readonly legend = find("legend");
    private labelElements: HTMLElement[] = [];
    private greatestForce = 0;
    private greatestWind = 0;

    constructor(private readonly view: SceneView) {
        const scene = view.scene;
        const mark = (colour: string, opacity = 1, through = true) => new MeshBasicMaterial({
            color: new Color(colour), depthTest: !through, transparent: opacity < 1 || through, opacity,
            toneMapped: false,
        });
        this.contactMarks = new Marks(scene, new SphereGeometry(1, 12, 8), mark("#e8a500"));
        this.forceMarks = new Marks(scene, arrowShape(), mark("#d2391f"));
        // The air must not hide what it blows at. It is painted with the sky, before anything that stands in front of it, and
        // once more over all of that, so faintly that colours stay. Blending of its own keeps the first among what is opaque.
        const air = { vertexColors: true, depthWrite: false, toneMapped: false };
        this.windPaint = [
            new MeshBasicMaterial({
                ...air, depthTest: false, blending: CustomBlending, blendSrc: SrcAlphaFactor, blendDst: OneMinusSrcAlphaFactor,
                blendSrcAlpha: ZeroFactor, blendDstAlpha: OneFactor, // the canvas stays opaque
            }),
            new MeshBasicMaterial({ ...air, transparent: true }),
        ];
        this.windMarks = this.windPaint.map((paint, i) => new Marks(scene, streakShape(), paint, 512, i === 0 ? -0.5 : 5));
        this.centreMarks = new Marks(scene, new SphereGeometry(1, 16, 10), mark("#7a4fd0", 0.9));
        this.jointAxes = new Axes(scene);
        this.bodyAxes = new Axes(scene);
    }

    setTheme(theme: Theme): void {
        this.windPaint.forEach((paint, i) => {
            paint.color.set(theme === "dark" ? "#8fd0ea" : "#2b8fb3");
            paint.opacity = (theme === "dark" ? 0.7 : 0.75) * (i === 0 ? 1 : 0.16);
        });
        this.view.redraw();
    }

    setScene(message: SceneMessage): void {
        this.greatestForce = 0;
        this.greatestWind = 0;
        this.labelElements = message.bodies.map((body) => make("span", { class: "label" }, body.name));
        fill(this.labels, ...this.labelElements);
        if (!this.state.labels) {
            fill(this.labels);
        }
    }

    set(name: OverlayName, on: boolean): void {
        this.state[name] = on;
        if (name === "wireframe") {
            this.view.setWireframe(on);
        } else if (name === "transparent") {
            this.view.setGlass(on);
        } else if (name === "shadow") {
            this.view.setShadows(on);
        } else if (name === "labels") {
            fill(this.labels, ...(on ? this.labelElements : []));
        }
        if (this.view.frame) {
            this.show(this.view.frame);
        }
        this.view.redraw();
    }

    show(frame: Frame): void {
        this.showContacts(frame);
        this.showWind(frame);
        this.showJoints(frame);
        this.showBodies();
        this.showLegend();
    }

    private showContacts(frame: Frame): void {
        const { values, count } = frame.contacts;
        const size = 0.012 * this.view.radius;
        const at = new Vector3();
        const force = new Vector3();
        this.contactMarks.set(this.state.contacts ? count : 0, (i, into) => {
            at.fromArray(values, contactWords * i + 2);
            into.makeScale(size, size, size).setPosition(at);
        });
        let greatest = 0;
        for (let i = 0; i < count; ++i) {
            greatest = Math.max(greatest, force.fromArray(values, contactWords * i + 8).length());
        }
        // The scale follows the greatest force, up at once and down slowly, so that arrows do not flicker.
        this.greatestForce = Math.max(greatest, 0.99 * this.greatestForce);
        const longest = 0.35 * this.view.radius;
        const scale = this.greatestForce > 0 ? longest / this.greatestForce : 0;
        this.forceMarks.set(this.state.forces ? count : 0, (i, into) => {
            at.fromArray(values, contactWords * i + 2);
            arrowMatrix(at, force.fromArray(values, contactWords * i + 8), scale, longest, into);
        });
    }

    private showWind(frame: Frame): void {
        const count = this.state.wind ? frame.arrows.length / 6 : 0;
        const at = new Vector3();
        const speed = new Vector3();
        const box = new Box3();
        let greatest = 0;
        for (let i = 0; i < count; ++i) {
            greatest = Math.max(greatest, speed.fromArray(frame.arrows, 6 * i + 3).length());
            box.expandByPoint(at.fromArray(frame.arrows, 6 * i));
        }
        this.greatestWind = Math.max(greatest, 0.99 * this.greatestWind);
        // Streaks are a little longer than places are apart; where the air is nearly still there are none.
        const apart = count > 1 ? box.getSize(at).length() / Math.sqrt(3) / Math.cbrt(count) : 0;
        const longest = Math.min(Math.max(1.6 * apart, 0.08 * this.view.radius), 0.35 * this.view.radius);
        const scale = this.greatestWind > 1e-6 ? longest / this.greatestWind : 0;
        const least = 0.06 * this.greatestWind;
        for (const marks of this.windMarks) {
            marks.set(count, (i, into) => {
                speed.fromArray(frame.arrows, 6 * i + 3);
                at.fromArray(frame.arrows, 6 * i).addScaledVector(speed, -0.5 * scale);
                if (speed.length() > least) {
                    arrowMatrix(at, speed, scale, longest, into);
                } else {
                    into.makeScale(0, 0, 0);
                }
            });
        }
    }

    private showJoints(frame: Frame): void {
        const count = this.state.joints ? frame.joints.length / jointWords : 0;
        this.jointAxes.set(count, 0.07 * this.view.radius, (i, into) => {
            const at = jointWords * i;
            poseMatrix(frame.joints, at, into);
        });
    }

    private showBodies(): void {
        const bodies = this.view.message?.bodies ?? [];
        const moving = this.state.centres ? bodies.filter((body) => !body.static) : [];
        const size = 0.016 * this.view.radius;
        const centre = new Vector3();
        this.centreMarks.set(moving.length, (i, into) => {
            const body = moving[i]!;
            centre.set(...body.centre).applyMatrix4(this.view.bodyMatrix(body.id, into));
            into.makeScale(size, size, size).setPosition(centre);
        });
        this.bodyAxes.set(this.state.frames ? bodies.length : 0, 0.1 * this.view.radius, (i, into) => {
            this.view.bodyMatrix(i, into);
        });
    }

    private showLegend(): void {
        const lines: string[] = [];
        if (this.state.forces && this.greatestForce > 0) {
            lines.push(`longest red arrow: ${format(this.greatestForce, 3)} N`);
        }
        if (this.state.wind && this.greatestWind > 1e-6) {
            lines.push(`fastest air: ${format(this.greatestWind, 3)} m/s`);
        }
        const text = lines.join(" · ");
        if (this.legend.textContent !== text) {
            this.legend.textContent = text;
        }
    }

    // Names stand beside the centres of mass; called with every picture, for the eye moves too.
    placeLabels(): void {
        const bodies = this.view.message?.bodies;
        if (!this.state.labels || !bodies) {
            return;
        }
        const { camera, canvas } = this.view;
        const at = new Vector3();
        const matrix = new Matrix4();
        bodies.forEach((body, i) => {
            const element = this.labelElements[i];
            if (!element) {
                return;
            }
            at.set(...body.centre).applyMatrix4(this.view.bodyMatrix(body.id, matrix)).project(camera);
            element.hidden = body.static || at.z > 1 || Math.abs(at.x) > 1 || Math.abs(at.y) > 1;
            element.style.transform = `translate(${(0.5 + 0.5 * at.x) * canvas.clientWidth + 6}px, ${
                (0.5 - 0.5 * at.y) * canvas.clientHeight - 8}px)`;
        });
    }
}

function poseMatrix(values: Float32Array, at: number, into: Matrix4): void {
    into.compose(new Vector3().fromArray(values, at),
        new Quaternion(values[at + 4], values[at + 5], values[at + 6], values[at + 3]), new Vector3(1, 1, 1));
}

// Many triads as one set of lines: x red, y green, z blue.
class Axes {
    private lines: LineSegments<BufferGeometry, LineBasicMaterial>;
    private capacity = 0;

    constructor(scene: Scene) {
        this.lines = new LineSegments(new BufferGeometry(), new LineBasicMaterial({
            vertexColors: true, depthTest: false, toneMapped: false, transparent: true,
        }));
        this.lines.frustumCulled = false;
        this.lines.renderOrder = 6;
        scene.add(this.lines);
    }

    set(count: number, length: number, place: (index: number, into: Matrix4) => void): void {
        if (count > this.capacity) {
            this.grow(2 * count);
        }
        this.lines.visible = count > 0;
        if (count === 0) {
            return;
        }
        const positions = this.lines.geometry.getAttribute("position") as BufferAttribute;
        const matrix = new Matrix4();
        const point = new Vector3();
        for (let i = 0; i < count; ++i) {
            place(i, matrix);
            for (let axis = 0; axis < 3; ++axis) {
                point.setFromMatrixPosition(matrix);
                positions.setXYZ(6 * i + 2 * axis, point.x, point.y, point.z);
                point.setFromMatrixColumn(matrix, axis).multiplyScalar(length).add(new Vector3().setFromMatrixPosition(matrix));
                positions.setXYZ(6 * i + 2 * axis + 1, point.x, point.y, point.z);
            }
        }
        positions.needsUpdate = true;
        this.lines.geometry.setDrawRange(0, 6 * count);
    }

    private grow(capacity: number): void {
        this.capacity = capacity;
        const colours = new Float32Array(18 * capacity);
        for (let i = 0; i < capacity; ++i) {
            for (let axis = 0; axis < 3; ++axis) {
                for (const end of [0, 1]) {
                    colours.set(axisColours[axis]!, 18 * i + 6 * axis + 3 * end);
                }
            }
        }
        this.lines.geometry.dispose();
        this.lines.geometry = new BufferGeometry();
        this.lines.geometry.setAttribute("position", new BufferAttribute(new Float32Array(18 * capacity), 3));
        this.lines.geometry.setAttribute("color", new BufferAttribute(colours, 3));
    }
}

const axisColours = [[0.83, 0.15, 0.1], [0.12, 0.6, 0.2], [0.1, 0.35, 0.9]];
