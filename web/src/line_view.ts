// Springs, rods and strings between two points: unit meshes along z, stretched to where the ends are.

import {
    BufferGeometry, CatmullRomCurve3, Color, CylinderGeometry, DynamicDrawUsage, InstancedMesh, Matrix4,
    MeshStandardMaterial, Quaternion, TubeGeometry, Vector3,
} from "three";
import type { Scene } from "three";
import type { Line } from "./protocol";

const up = new Vector3(0, 0, 1);

// A coil of radius 1 and length 1 with straight ends, its wire of that radius. Stretched along z, the wire is
// stretched too; it is thin enough for nobody to see.
export function coil(turns: number, wire: number): BufferGeometry {
    const points: Vector3[] = [new Vector3(0, 0, 0), new Vector3(0, 0, 0.06)];
    const steps = Math.max(16, Math.ceil(14 * turns));
    for (let i = 0; i <= steps; ++i) {
        const angle = 2 * Math.PI * turns * i / steps;
        points.push(new Vector3(Math.cos(angle), Math.sin(angle), 0.1 + 0.8 * i / steps));
    }
    points.push(new Vector3(0, 0, 0.94), new Vector3(0, 0, 1));
    return new TubeGeometry(new CatmullRomCurve3(points), Math.min(600, 2 * points.length), wire, 6);
}

export function rod(): BufferGeometry {
    return new CylinderGeometry(1, 1, 1, 12, 1).rotateX(Math.PI / 2).translate(0, 0, 0.5);
}

// The matrix that puts a unit mesh between two points, `radius` wide.
export function between(from: Vector3, to: Vector3, radius: number, into: Matrix4): Matrix4 {
    const along = new Vector3().subVectors(to, from);
    const length = along.length();
    const turn = length > 0 ? new Quaternion().setFromUnitVectors(up, along.divideScalar(length)) : new Quaternion();
    return into.compose(from, turn, new Vector3(radius, radius, Math.max(length, 1e-9)));
}

export class LineViews {
    private groups: { mesh: InstancedMesh; members: { index: number; radius: number }[] }[] = [];

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

    private makeGroup(lines: Line[], indices: number[]): (typeof this.groups)[number] {
        const first = lines[indices[0]!]!;
        const spring = first.kind === "spring" && first.radius > 0;
        const material = new MeshStandardMaterial({
            color: new Color(first.kind === "string" ? "#8d8577" : "#8b9097"),
            roughness: first.kind === "string" ? 0.9 : 0.35, metalness: first.kind === "string" ? 0 : 0.8, fog: false,
        });
        const mesh = new InstancedMesh(
            spring ? coil(first.turns, first.wire / first.radius) : rod(), material, indices.length);
        mesh.instanceMatrix.setUsage(DynamicDrawUsage);
        mesh.frustumCulled = false;
        mesh.castShadow = true;
        this.scene.add(mesh);
        return {
            mesh,
            members: indices.map((index) => ({ index, radius: spring ? lines[index]!.radius : lines[index]!.wire })),
        };
    }

    place(ends: Float32Array): void {
        const matrix = new Matrix4();
        const from = new Vector3();
        const to = new Vector3();
        for (const { mesh, members } of this.groups) {
            members.forEach(({ index, radius }, i) => {
                if (6 * index + 6 <= ends.length) {
                    from.fromArray(ends, 6 * index);
                    to.fromArray(ends, 6 * index + 3);
                    mesh.setMatrixAt(i, between(from, to, radius, matrix));
                }
            });
            mesh.instanceMatrix.needsUpdate = true;
        }
    }
}
