// Draws frames: one instanced mesh per mesh and surface, lines, and what is selected. World axes are
// three.js axes: z is up everywhere.

import {
    BackSide, BufferAttribute, BufferGeometry, Color, DoubleSide, DynamicDrawUsage, InstancedMesh, Matrix4, Mesh,
    NeutralToneMapping, PCFShadowMap, PerspectiveCamera, Quaternion, Raycaster, Scene,
    ShaderMaterial, SRGBColorSpace, Vector2, Vector3, WebGLRenderer,
} from "three";
import type { MeshStandardMaterial } from "three";
import { BendingViews } from "./bending";
import type { Frame, Mesh as MeshMessage, SceneMessage, Shape } from "./protocol";
import { LineViews } from "./line_view";
import { Studio } from "./studio";
import { addOutward, findThinness, leastRadius, makeSurface } from "./surface";
import type { Theme } from "./theme";

export interface Pick {
    body: number;
    world: Vector3;
    local: Vector3; // the same point in the body's frame
}

// All shapes that share a mesh and a surface.
interface Batch {
    mesh: InstancedMesh<BufferGeometry, MeshStandardMaterial>;
    members: { body: number; offset: Matrix4 }[];
}

// An outline of constant width in pixels: back faces pushed out along their normals.
const outlineVertex = `
uniform vec2 pixel;
uniform float width;
attribute vec3 outward;
void main() {
    vec4 p = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
    vec3 n = normalize(normalMatrix * outward);
    vec2 push = normalize((projectionMatrix * vec4(n, 0.0)).xy + vec2(1e-6));
    p.xy += push * width * pixel * p.w;
    gl_Position = p;
}`;

const outlineFragment = `
uniform vec3 colour;
void main() {
    gl_FragColor = vec4(colour, 1.0);
    #include <colorspace_fragment>
}`;

export class SceneView {
    readonly scene = new Scene();
    readonly camera = new PerspectiveCamera(45, 1, 0.01, 1000);
    readonly renderer: WebGLRenderer;
    readonly studio: Studio;
    readonly lines: LineViews;
    readonly bending = new BendingViews(this.scene);
    readonly centre = new Vector3(); // of what moves
    radius = 1;
    private readonly frameCentre = new Vector3(); // of what a picture holds
    private frameRadius = 1;
    message: SceneMessage | null = null;
    frame: Frame | null = null;
    accent = new Color("#c8321f");
    readonly isSoftware: boolean; // drawn without graphics hardware: there every pixel costs

    private geometries = new Map<number, BufferGeometry>();
    private batches: Batch[] = [];
    private outlines: { mesh: Mesh; body: number; offset: Matrix4 | null }[] = []; // null: it is in the world's axes
    private readonly outlineMaterial: ShaderMaterial;
    private readonly raycaster = new Raycaster();
    private dirty = true;
    private wire = false;
    private glass = false;
    private selected = -1;
    private settled = false;

    constructor(readonly canvas: HTMLCanvasElement) {
        this.renderer = new WebGLRenderer({ canvas, antialias: true, powerPreference: "high-performance" });
        this.renderer.debug.checkShaderErrors = import.meta.env.DEV; // each check waits for the graphics process
        this.renderer.outputColorSpace = SRGBColorSpace;
        this.renderer.toneMapping = NeutralToneMapping;
        this.renderer.shadowMap.enabled = true;
        this.renderer.shadowMap.type = PCFShadowMap;
        this.camera.up.set(0, 0, 1);
        this.studio = new Studio(this.scene);
        this.lines = new LineViews(this.scene);
        this.isSoftware = this.findSoftware();
        if (this.isSoftware) {
            this.studio.makeCheaper();
        }
        this.outlineMaterial = new ShaderMaterial({
            vertexShader: outlineVertex,
            fragmentShader: outlineFragment,
            uniforms: {
                pixel: { value: new Vector2() }, width: { value: 3.5 }, colour: { value: this.accent },
            },
            side: BackSide,
        });
    }

    private findSoftware(): boolean {
        const context = this.renderer.getContext();
        const names = context.getExtension("WEBGL_debug_renderer_info");
        const name = String(context.getParameter(names ? names.UNMASKED_RENDERER_WEBGL : context.RENDERER));
        return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
    }

    setTheme(theme: Theme): void {
        this.studio.setTheme(theme);
        this.accent.set(theme === "dark" ? "#ff6a4d" : "#d2391f");
        this.redraw();
    }

    // Something changed that a picture would show.
    redraw(): void {
        this.dirty = true;
    }

    // In pixels of the page, of which one has `ratio` of the canvas; `even`: numbers of those are even.
    resize(width: number, height: number, ratio: number, even = false): void {
        this.renderer.setPixelRatio(even ? 1 : ratio);
        this.renderer.setSize(even ? evenly(ratio * width) : width, even ? evenly(ratio * height) : height, false);
        this.camera.aspect = width / Math.max(1, height);
        this.camera.updateProjectionMatrix();
        // At least a pixel of the page wide, and a little more than one of the picture.
        leastRadius.value = 2 * Math.max(0.5, 0.6 / ratio) / Math.max(1, height);
        (this.outlineMaterial.uniforms.pixel!.value as Vector2).set(2 / width, 2 / Math.max(1, height));
        this.redraw();
    }

    // Room at the edges, in pixels, that panels cover: what is looked at stays in the middle of the rest.
    setInsets(right: number, bottom: number): void {
        const { clientWidth, clientHeight } = this.canvas;
        const width = Math.max(1, clientWidth);
        const height = Math.max(1, clientHeight);
        this.camera.setViewOffset(width, height, right / 2, bottom / 2, width, height);
        this.redraw();
    }

    // Draws if anything changed since the last time, or when told to.
    draw(always = false): boolean {
        if (!this.dirty && !always) {
            return false;
        }
        this.dirty = false;
        this.renderer.render(this.scene, this.camera);
        return true;
    }

    setScene(message: SceneMessage): void {
        const same = this.settled && message.keeps && this.message?.name === message.name;
        this.clear();
        this.message = message;
        const [lower, upper] = message.size;
        const low = new Vector3(...lower);
        const high = new Vector3(...upper);
        this.centre.addVectors(low, high).multiplyScalar(0.5);
        this.radius = Math.max(0.5 * low.distanceTo(high), 1e-6);
        const [first, last] = message.frame.map((corner) => new Vector3(...corner)) as [Vector3, Vector3];
        this.frameCentre.addVectors(first, last).multiplyScalar(0.5);
        this.frameRadius = Math.max(0.5 * first.distanceTo(last), this.radius);
        this.lines.setLines(message.lines);
        if (same) {
            this.settled = true; // the room stays as it is while somebody edits what stands in it
        } else {
            this.studio.setExtent(this.centre, this.radius, message.floor?.height ?? low.z, message.floor?.colour ?? null);
        }
        this.select(-1);
        this.redraw();
    }

    // Everything is there: light and ground go where it stands. A scene without a floor stands on a ground of ours, which
    // nothing touches, or hangs above it.
    private settle(message: SceneMessage): void {
        const all = this.bounds();
        if (this.settled || !all || this.geometries.size < message.meshes) {
            return;
        }
        this.settled = true;
        const still = this.bounds((body) => message.bodies[body]?.static === true);
        const stands = still !== null && still.low.z < all.low.z + 0.01 * this.radius;
        const gap = stands ? 0.002 * this.radius : 0.12 * (all.high.z - all.low.z) + 0.05 * this.radius;
        const centre = all.low.clone().add(all.high).multiplyScalar(0.5);
        const reach = 0.5 * all.low.distanceTo(all.high);
        // Shadows of a table as large as a hall would be coarse: what a picture holds counts then. It also holds a floor
        // that things can fall on.
        const wide = reach > 4 * this.frameRadius;
        const framed = wide || reach < this.frameRadius;
        this.studio.setExtent(framed ? this.frameCentre : centre, wide ? 2 * this.frameRadius : Math.max(reach, this.frameRadius),
            message.floor ? message.floor.height : Math.min(all.low.z, stands || !still ? all.low.z : lowestSwing(still, all)) - gap,
            message.floor?.colour ?? null);
        this.renderer.compile(this.scene, this.camera); // all programs are on their way before the first one is waited for
        this.redraw();
    }

    private clear(): void {
        for (const batch of this.batches) {
            this.scene.remove(batch.mesh);
            batch.mesh.material.dispose();
            batch.mesh.dispose();
        }
        for (const geometry of this.geometries.values()) {
            geometry.dispose();
        }
        this.batches = [];
        this.bending.clear();
        this.geometries.clear();
        this.frame = null;
        this.message = null;
        this.settled = false;
    }

    addMesh(mesh: MeshMessage): void {
        const message = this.message;
        if (!message || mesh.generation !== message.generation || this.geometries.has(mesh.index)) {
            return;
        }
        const geometry = new BufferGeometry();
        geometry.setAttribute("position", new BufferAttribute(mesh.positions, 3));
        geometry.setAttribute("normal", new BufferAttribute(mesh.normals, 3));
        geometry.setIndex(new BufferAttribute(mesh.triangles, 1));
        this.geometries.set(mesh.index, geometry);
        if (this.bending.owns(mesh.index, message)) {
            this.bending.add(mesh, message, (material) => {
                material.wireframe = this.wire;
                this.makeGlass(material);
            });
        }
        this.addBatches(mesh.index, geometry, message);
        if (this.frame) {
            this.showFrame(this.frame);
        }
        this.redraw();
    }

    // Shapes of one mesh differ in surface: one batch for each pair of roughness and metallic; colours are
    // the instances' own.
    private addBatches(index: number, geometry: BufferGeometry, message: SceneMessage): void {
        const kinds = new Map<string, { body: number; shape: Shape }[]>();
        for (const body of message.bodies) {
            for (const shape of body.shapes) {
                if (shape.mesh === index) {
                    const key = `${shape.roughness} ${shape.metallic}`;
                    kinds.set(key, [...(kinds.get(key) ?? []), { body: body.id, shape }]);
                }
            }
        }
        const thin = findThinness(geometry.getAttribute("position").array, geometry.index!.array);
        if (thin) {
            addOutward(geometry);
        }
        for (const members of kinds.values()) {
            const first = members[0]!.shape;
            const material = makeSurface({
                roughness: first.roughness, metalness: first.metallic, side: DoubleSide,
                wireframe: this.wire,
            }, thin);
            this.makeGlass(material);
            const mesh = new InstancedMesh(geometry, material, members.length);
            mesh.instanceMatrix.setUsage(DynamicDrawUsage);
            mesh.frustumCulled = false;
            mesh.castShadow = mesh.receiveShadow = true;
            mesh.visible = false; // until a frame tells where
            members.forEach(({ shape }, i) => mesh.setColorAt(i, new Color(shape.colour)));
            this.batches.push({
                mesh, members: members.map(({ body, shape }) => ({ body, offset: offsetOf(shape) })),
            });
            this.scene.add(mesh);
        }
    }

    private readonly pose = new Matrix4();
    private readonly turn = new Quaternion();
    private readonly place = new Vector3();
    private readonly unit = new Vector3(1, 1, 1);

    // Where a body's frame is, in the last frame.
    bodyMatrix(body: number, into = this.pose): Matrix4 {
        const poses = this.frame?.poses;
        const at = 7 * body;
        if (!poses || at + 7 > poses.length) {
            return into.identity();
        }
        this.place.set(poses[at]!, poses[at + 1]!, poses[at + 2]!);
        this.turn.set(poses[at + 4]!, poses[at + 5]!, poses[at + 6]!, poses[at + 3]!);
        return into.compose(this.place, this.turn, this.unit);
    }

    private readonly whole = new Matrix4();

    showFrame(frame: Frame): void {
        if (!this.message || frame.generation !== this.message.generation) {
            return;
        }
        this.frame = frame;
        for (const batch of this.batches) {
            batch.members.forEach((member, i) => {
                batch.mesh.setMatrixAt(i, this.whole.multiplyMatrices(this.bodyMatrix(member.body), member.offset));
            });
            batch.mesh.instanceMatrix.needsUpdate = true;
            batch.mesh.boundingSphere = null;
            batch.mesh.visible = true;
        }
        for (const outline of this.outlines) {
            if (outline.offset) {
                outline.mesh.matrix.multiplyMatrices(this.bodyMatrix(outline.body), outline.offset);
            }
        }
        this.lines.place(frame.lines);
        this.bending.place(frame.deformed);
        this.settle(this.message);
        this.studio.redrawShadows();
        this.redraw();
    }

    select(body: number): void {
        for (const outline of this.outlines) {
            this.scene.remove(outline.mesh);
        }
        this.outlines = [];
        this.selected = body;
        const add = (geometry: BufferGeometry, offset: Matrix4 | null) => {
            const mesh = new Mesh(geometry, this.outlineMaterial);
            mesh.matrixAutoUpdate = false;
            mesh.frustumCulled = false;
            this.outlines.push({ mesh, body, offset });
            this.scene.add(mesh);
        };
        for (const shape of this.message?.bodies[body]?.shapes ?? []) {
            const geometry = this.geometries.get(shape.mesh);
            if (geometry) {
                addOutward(geometry);
                add(geometry, offsetOf(shape));
            }
        }
        for (const bent of this.bending.all) {
            if (bent.body === body) {
                add(bent.mesh.geometry, null);
            }
        }
        if (this.frame) {
            this.showFrame(this.frame);
        }
        this.redraw();
    }

    get selection(): number {
        return this.selected;
    }

    private get materials(): MeshStandardMaterial[] {
        return [...this.batches, ...this.bending.all].flatMap(({ mesh }) => mesh.material);
    }

    setWireframe(on: boolean): void {
        this.wire = on;
        for (const material of this.materials) {
            material.wireframe = on;
        }
        this.redraw();
    }

    setGlass(on: boolean): void {
        this.glass = on;
        for (const material of this.materials) {
            this.makeGlass(material);
        }
        this.redraw();
    }

    private makeGlass(material: MeshStandardMaterial): void {
        material.transparent = this.glass;
        material.opacity = this.glass ? 0.35 : 1;
        material.depthWrite = !this.glass;
        material.needsUpdate = true;
    }

    setShadows(on: boolean): void {
        this.studio.setShadows(on);
        this.redraw();
    }

    // Sets the ray through a point of the canvas, in CSS pixels from its corner.
    ray(x: number, y: number): Raycaster {
        const width = this.canvas.clientWidth;
        const height = this.canvas.clientHeight;
        this.raycaster.setFromCamera(new Vector2(2 * x / width - 1, 1 - 2 * y / height), this.camera);
        return this.raycaster;
    }

    // What is under that point. Thin wires are hard to hit, so points around it are tried as well, nearest first.
    pick(x: number, y: number, reach: number): Pick | null {
        for (const ring of reach > 0 ? [0, 0.4 * reach, reach] : [0]) {
            let best: (Pick & { distance: number }) | null = null;
            for (let i = 0; i < (ring === 0 ? 1 : 8); ++i) {
                const angle = i * Math.PI / 4;
                const hit = this.hit(x + ring * Math.cos(angle), y + ring * Math.sin(angle));
                if (hit && (!best || hit.distance < best.distance)) {
                    best = hit;
                }
            }
            if (best) {
                return best;
            }
        }
        return null;
    }

    private hit(x: number, y: number): (Pick & { distance: number }) | null {
        const ray = this.ray(x, y);
        let best: (Pick & { distance: number }) | null = null;
        const bent = this.bending.hit(ray);
        if (bent) {
            const local = bent.point.clone().applyMatrix4(this.bodyMatrix(bent.body).invert());
            best = { body: bent.body, world: bent.point.clone(), local, distance: bent.distance };
        }
        for (const batch of this.batches) {
            for (const found of ray.intersectObject(batch.mesh, false)) {
                const member = batch.members[found.instanceId ?? -1];
                if (member && (!best || found.distance < best.distance)) {
                    const local = found.point.clone().applyMatrix4(this.bodyMatrix(member.body).invert());
                    best = { body: member.body, world: found.point.clone(), local, distance: found.distance };
                }
            }
        }
        return best;
    }

    // Box of everything that is drawn now, or of some bodies.
    bounds(counts: (body: number) => boolean = () => true): { low: Vector3; high: Vector3 } | null {
        const low = new Vector3(Infinity, Infinity, Infinity);
        const high = new Vector3(-Infinity, -Infinity, -Infinity);
        const matrix = new Matrix4();
        for (const batch of this.batches) {
            batch.mesh.geometry.computeBoundingBox();
            const box = batch.mesh.geometry.boundingBox;
            for (let i = 0; box && i < batch.members.length; ++i) {
                if (!counts(batch.members[i]!.body)) {
                    continue;
                }
                batch.mesh.getMatrixAt(i, matrix);
                const moved = box.clone().applyMatrix4(matrix);
                low.min(moved.min);
                high.max(moved.max);
            }
        }
        for (const { body, mesh } of this.bending.all) {
            mesh.geometry.computeBoundingBox();
            const box = mesh.geometry.boundingBox;
            if (box && counts(body)) {
                low.min(box.min);
                high.max(box.max);
            }
        }
        return low.x <= high.x ? { low, high } : null;
    }
}

function evenly(pixels: number): number {
    return Math.max(2, 2 * Math.floor(pixels / 2));
}

function offsetOf(shape: Shape): Matrix4 {
    const [w, x, y, z] = shape.rotation;
    return new Matrix4().compose(new Vector3(...shape.position), new Quaternion(x, y, z, w), new Vector3(1, 1, 1));
}

// How low things can swing that hang from what stands still: as far below it as they are from it now.
function lowestSwing(still: { low: Vector3; high: Vector3 }, all: { low: Vector3; high: Vector3 }): number {
    let reach = 0;
    for (const corner of [all.low, all.high]) {
        const nearest = corner.clone().clamp(still.low, still.high);
        reach = Math.max(reach, Math.hypot(corner.x - nearest.x, Math.min(0, corner.z - nearest.z)),
            Math.hypot(corner.y - nearest.y, Math.min(0, corner.z - nearest.z)));
    }
    return still.low.z - reach;
}
