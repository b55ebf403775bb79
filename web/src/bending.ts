// Surfaces that bend: what joins their vertices is told once, where they are with every frame. Normals follow from that.

import {
    BufferAttribute, BufferGeometry, Color, DoubleSide, DynamicDrawUsage, Mesh,
} from "three";
import type { MeshStandardMaterial, Raycaster, Scene, Vector3 } from "three";
import type { Deformed, Mesh as MeshMessage, SceneMessage } from "./protocol";
import { makeSurface } from "./surface";

export interface Bending {
    body: number;
    mesh: Mesh<BufferGeometry, MeshStandardMaterial[]>; // a material for each group of triangles
}

export class BendingViews {
    private readonly views = new Map<number, Bending>(); // by their place in the scene's list

    constructor(private readonly scene: Scene) {}

    // Whether that mesh is one of these.
    owns(mesh: number, message: SceneMessage): boolean {
        return message.surfaces.some((surface) => surface.mesh === mesh);
    }

    add(mesh: MeshMessage, message: SceneMessage, prepare: (material: MeshStandardMaterial) => void): void {
        message.surfaces.forEach((surface, index) => {
            if (surface.mesh !== mesh.index) {
                return;
            }
            const geometry = new BufferGeometry();
            geometry.setAttribute("position", new BufferAttribute(mesh.positions.slice(), 3).setUsage(DynamicDrawUsage));
            geometry.setAttribute("normal", new BufferAttribute(mesh.normals.slice(), 3).setUsage(DynamicDrawUsage));
            geometry.setAttribute("outward", geometry.getAttribute("normal")); // for an outline
            geometry.setIndex(new BufferAttribute(mesh.triangles, 1));
            const parts = surface.parts ?? [{ ...surface, first: 0, count: mesh.triangles.length / 3 }];
            const materials = parts.map((part, place) => {
                const material = makeSurface({ roughness: part.roughness, metalness: part.metallic, side: DoubleSide });
                material.color = new Color(part.colour);
                prepare(material);
                geometry.addGroup(3 * part.first, 3 * part.count, place);
                return material;
            });
            const view = new Mesh(geometry, materials);
            view.frustumCulled = false;
            view.castShadow = view.receiveShadow = true;
            this.views.set(index, { body: surface.body, mesh: view });
            this.scene.add(view);
        });
    }

    clear(): void {
        for (const { mesh } of this.views.values()) {
            this.scene.remove(mesh);
            mesh.geometry.dispose();
            mesh.material.forEach((material) => material.dispose());
        }
        this.views.clear();
    }

    // Vertices that do not fit the surface, as of another scene, are left out.
    place(deformed: Deformed[]): void {
        for (const { surface, positions } of deformed) {
            const geometry = this.views.get(surface)?.mesh.geometry;
            const attribute = geometry?.getAttribute("position");
            if (!geometry || !attribute || attribute.array.length !== positions.length) {
                continue;
            }
            (attribute.array as Float32Array).set(positions);
            attribute.needsUpdate = true;
            geometry.computeVertexNormals();
            geometry.boundingSphere = geometry.boundingBox = null;
        }
    }

    get all(): Bending[] {
        return [...this.views.values()];
    }

    // The nearest along that ray.
    hit(ray: Raycaster): { body: number; point: Vector3; distance: number } | null {
        let best: { body: number; point: Vector3; distance: number } | null = null;
        for (const { body, mesh } of this.views.values()) {
            for (const { point, distance } of ray.intersectObject(mesh, false)) {
                best = best && best.distance <= distance ? best : { body, point, distance };
            }
        }
        return best;
    }
}
