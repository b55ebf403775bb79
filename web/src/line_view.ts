// Springs, rods and strings between two points: unit meshes along z, stretched to where the ends are.

import {
    BufferGeometry, CatmullRomCurve3, Color, CylinderGeometry, DynamicDrawUsage, InstancedMesh, Matrix4,
    Quaternion, TubeGeometry, Vector3,
} from "three";
import type { MeshStandardMaterial, Scene } from "three";
import type { Line } from "./protocol";
import { makeSurface } from "./surface";

const up = new Vector3(0, 0, 1);

// A coil of radius 1 and length 1 with straight ends, to be made `length` times as long: its wire has that radius then.
export function coil(turns: number, wire: number, length: number): BufferGeometry {
    const points: Vector3[] = [new Vector3(0, 0, 0), new Vector3(0, 0, 0.04 * length)];
    const steps = Math.max(16, Math.ceil(14 * turns));
    for (let i = 0; i <= steps; ++i) {
        const angle = 2 * Math.PI * turns * i / steps;
        points.push(new Vector3(Math.cos(angle), Math.sin(angle), (0.08 + 0.84 * i / steps) * length));
    }
    points.push(new Vector3(0, 0, 0.96 * length), new Vector3(0, 0, length));
    return withOutward(new TubeGeometry(new CatmullRomCurve3(points), Math.min(600, 2 * points.length), wire, 6)
        .scale(1, 1, 1 / length));
}

function withOutward(geometry: BufferGeometry): BufferGeometry {
    return geometry.setAttribute("outward", geometry.getAttribute("normal"));
}

export function rod(): BufferGeometry {
    return withOutward(new CylinderGeometry(1, 1, 1, 12, 1).rotateX(Math.PI / 2).translate(0, 0, 0.5));
}

// The matrix that puts a unit mesh between two points, `radius` wide.
export function between(from: Vector3, to: Vector3, radius: number, into: Matrix4): Matrix4 {
    const along = new Vector3().subVectors(to, from);
    const length = along.length();
    const turn = length > 0 ? new Quaternion().setFromUnitVectors(up, along.divideScalar(length)) : new Quaternion();
    return into.compose(from, turn, new Vector3(radius, radius, Math.max(length, 1e-9)));
}

interface LineGroup {
    mesh: InstancedMesh;
    members: { index: number; radius: number }[];
    spring: Line | null;
    stretch: number; // length over radius that the coil was made for; 0 before the first frame
}

export class LineViews {
    private groups: LineGroup[] = [];

    constructor(private readonly scene: Scene) {}

    setLines(lines: Line[]): void {
        for (const { mesh } of this.groups) {
            this.scene.remove(mesh);
            mesh.geometry.dispose();
            (mesh.material as MeshStandardMaterial).dispose();
            mesh.dispose();
        }
        const kinds = new Map<string, number[]>();
        lines.forEach((line, index) => {
            const key = line.kind === "spring" ? `${line.turns} ${line.wire / line.radius}` : line.kind;
            kinds.set(key, [...(kinds.get(key) ?? []), index]);
        });
        this.groups = [...kinds.values()].map((indices) => this.makeGroup(lines, indices));
    }

    private makeGroup(lines: Line[], indices: number[]): LineGroup {
        const first = lines[indices[0]!]!;
        const spring = first.kind === "spring" && first.radius > 0;
        const material = makeSurface({
            color: new Color(first.kind === "string" ? "#8d8577" : "#8b9097"),
            roughness: first.kind === "string" ? 0.9 : 0.35, metalness: first.kind === "string" ? 0 : 0.8,
        }, { radius: spring ? first.wire / first.radius : 1, wire: true });
        const mesh = new InstancedMesh(rod(), material, indices.length);
        mesh.instanceMatrix.setUsage(DynamicDrawUsage);
        mesh.frustumCulled = false;
        mesh.castShadow = true;
        mesh.visible = false; // until a frame tells where
        this.scene.add(mesh);
        return {
            mesh,
            members: indices.map((index) => ({ index, radius: spring ? lines[index]!.radius : lines[index]!.wire })),
            spring: spring ? first : null,
            stretch: 0,
        };
    }

    place(ends: Float32Array): void {
        const matrix = new Matrix4();
        const from = new Vector3();
        const to = new Vector3();
        for (const group of this.groups) {
            group.members.forEach(({ index, radius }, i) => {
                if (6 * index + 6 <= ends.length) {
                    from.fromArray(ends, 6 * index);
                    to.fromArray(ends, 6 * index + 3);
                    group.mesh.setMatrixAt(i, between(from, to, radius, matrix));
                    if (i === 0) {
                        this.fitCoil(group, from.distanceTo(to) / radius);
                    }
                }
            });
            group.mesh.instanceMatrix.needsUpdate = true;
            group.mesh.visible = true;
        }
    }

    // A coil stretched far from the length it was made for would have a flat wire: it is made anew.
    private fitCoil(group: LineGroup, stretch: number): void {
        const { spring, mesh } = group;
        if (!spring || !(stretch > 0) || (group.stretch > 0 && Math.abs(Math.log(stretch / group.stretch)) < 0.5)) {
            return;
        }
        group.stretch = stretch;
        mesh.geometry.dispose();
        mesh.geometry = coil(spring.turns, spring.wire / spring.radius, stretch);
    }
}
