// What things are made of. Their surroundings, which gloss and metal mirror, are a bright room with two soft windows,
// written as a formula: unlike a picture of a room it needs no preparation, which takes seconds where there is no graphics
// hardware. It is the same by day and by night, or black things would vanish in the dark; by night a light from behind draws
// their edges as well, and round wires whole.

import { BufferAttribute, MeshStandardMaterial, Vector3 } from "three";
import type { BufferGeometry, MeshStandardMaterialParameters } from "three";

// Where the key light comes from, seen from the middle of the scene: above, in front, to the left.
export const keyDirection = new Vector3(-0.4, -0.34, 1.1).normalize();

// One for all surfaces: how bright the room is, and the light from behind.
export const roomLight = { value: 1 };
export const rimLight = { value: 0 };

const vector = (v: Vector3) => `vec3(${v.x.toFixed(5)}, ${v.y.toFixed(5)}, ${v.z.toFixed(5)})`;

// Light of the room from a direction, blurred over `spread` (0 a mirror, 1 a matt surface). A window is
// a lobe whose width grows and whose height falls with the spread, so that its light stays the same.
const room = `
uniform float roomLight;
uniform float rimLight;
vec3 roomRadiance(vec3 view, float spread) {
    vec3 d = normalize((vec4(view, 0.0) * viewMatrix).xyz);
    vec3 walls = mix(vec3(0.64, 0.61, 0.56), vec3(0.82, 0.85, 0.88), smoothstep(-0.2 - spread, 0.2 + spread, d.z));
    float width = 0.05 + 0.6 * spread * spread;
    float window = exp((dot(d, ${vector(keyDirection)}) - 1.0) / width) * 0.05 / width;
    float side = exp((dot(d, ${vector(new Vector3(7, 3, 4).normalize())}) - 1.0) / (0.6 * width)) * 0.05 / width;
    return roomLight * (1.0 * walls + 3.5 * window + 1.2 * side);
}
`;

const reflections = `
#include <lights_fragment_maps>
iblIrradiance += PI * roomRadiance(geometryNormal, 1.0);
radiance += roomRadiance(reflect(-geometryViewDir, geometryNormal), material.roughness);
float grazing = 1.0 - abs(dot(geometryNormal, geometryViewDir));
reflectedLight.indirectSpecular += rimLight * grazing * grazing * grazing * vec3(0.86, 0.93, 1.0);
`;

// ---- thin things ----
//
// A wire thinner than a pixel would come and go from sample to sample. As `sinew render` does, a surface is blown up along
// `outward`, an attribute of its vertices, where its radius is less than half of the least width; and where wires are thin
// their brightness is kept apart from that of the room.

export interface Thinness {
    radius: number; // of a wire, half the thickness of a sheet; in the units of the geometry's x
    wire: boolean; // false: a sheet, which keeps its colour
}

export const leastRadius = { value: 0 }; // of what is drawn, over half the height of the picture
export const wireTone = { value: 0 }; // the brightness that thin wires are at least (above 0), or at most (below)

const widenDeclared = `
attribute vec3 outward;
uniform float thinRadius;
uniform float thinWire;
uniform float leastRadius;
varying float vThin;
`;

const widen = `
#include <project_vertex>
{
    vec3 away = outward;
    float size = 1.0;
    #ifdef USE_INSTANCING
    mat3 turn = mat3(instanceMatrix); // normals go by the inverse transpose of it
    away = turn * (away / vec3(dot(turn[0], turn[0]), dot(turn[1], turn[1]), dot(turn[2], turn[2])));
    size = length(turn[0]);
    #endif
    away = mat3(modelViewMatrix) * away;
    float least = leastRadius * -mvPosition.z / projectionMatrix[1][1];
    mvPosition.xyz += away / max(length(away), 1e-30) * max(0.0, least - thinRadius * size);
    gl_Position = projectionMatrix * mvPosition;
    vThin = thinWire * (1.0 - smoothstep(1.0, 3.0, thinRadius * size / max(least, 1e-30)));
}
`;

const contrastDeclared = `
uniform float wireTone;
varying float vThin;
`;

const contrast = `
#include <colorspace_fragment>
{
    float light = dot(gl_FragColor.rgb, vec3(0.299, 0.587, 0.114));
    float lacks = wireTone > 0.0 ? max(0.0, wireTone - light) : min(0.0, -wireTone - light);
    gl_FragColor.rgb = clamp(gl_FragColor.rgb + vThin * lacks, 0.0, 1.0);
}
`;

export function makeSurface(parameters: MeshStandardMaterialParameters, thin: Thinness | null = null): MeshStandardMaterial {
    const material = new MeshStandardMaterial(parameters);
    const thinRadius = { value: thin?.radius ?? 0 };
    const thinWire = { value: thin?.wire === true ? 1 : 0 };
    material.onBeforeCompile = (shader) => {
        Object.assign(shader.uniforms, { roomLight, rimLight });
        shader.fragmentShader = shader.fragmentShader
            .replace("void main() {", `${room}\nvoid main() {`)
            .replace("#include <lights_fragment_maps>", reflections);
        if (thin) {
            Object.assign(shader.uniforms, { thinRadius, thinWire, leastRadius, wireTone });
            shader.vertexShader = shader.vertexShader
                .replace("void main() {", `${widenDeclared}\nvoid main() {`)
                .replace("#include <project_vertex>", widen);
            shader.fragmentShader = shader.fragmentShader
                .replace("void main() {", `${contrastDeclared}\nvoid main() {`)
                .replace("#include <colorspace_fragment>", contrast);
        }
    };
    material.customProgramCacheKey = () => (thin ? "sinew thin" : "sinew");
    return material;
}

// Of a closed mesh; null where it is not thin. A tube of radius r has a volume of r/2 times its surface, a sheet of thickness t
// of t/2 times. The tube of that volume and surface is A / (2 pi r) long: a wire, even bent, is not twice as long as it is large.
export function findThinness(x: ArrayLike<number>, triangles: ArrayLike<number>): Thinness | null {
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    for (let i = 0; i < x.length; ++i) {
        low[i % 3] = Math.min(low[i % 3]!, x[i]!);
        high[i % 3] = Math.max(high[i % 3]!, x[i]!);
    }
    let volume = 0;
    let area = 0;
    for (let i = 0; i + 2 < triangles.length; i += 3) {
        const [a, b, c] = [3 * triangles[i]!, 3 * triangles[i + 1]!, 3 * triangles[i + 2]!];
        const [ux, uy, uz] = [x[b]! - x[a]!, x[b + 1]! - x[a + 1]!, x[b + 2]! - x[a + 2]!];
        const [vx, vy, vz] = [x[c]! - x[a]!, x[c + 1]! - x[a + 1]!, x[c + 2]! - x[a + 2]!];
        const [nx, ny, nz] = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
        area += 0.5 * Math.hypot(nx, ny, nz);
        volume += ((x[a]! - low[0]!) * nx + (x[a + 1]! - low[1]!) * ny + (x[a + 2]! - low[2]!) * nz) / 6;
    }
    const size = Math.hypot(high[0]! - low[0]!, high[1]! - low[1]!, high[2]! - low[2]!);
    const radius = area > 0 ? 2 * Math.abs(volume) / area : 0;
    return radius < 0.12 * size ? { radius, wire: area < 4.4 * Math.PI * radius * size } : null;
}

// Normals of triangles, weighted by their areas, summed over all vertices at one place: where a vertex goes when the surface is
// blown up, or outlined, without gaps at sharp edges.
export function addOutward(geometry: BufferGeometry): void {
    if (geometry.getAttribute("outward")) {
        return;
    }
    const positions = geometry.getAttribute("position").array;
    const triangles = geometry.index?.array ?? [];
    const keys: string[] = [];
    const sums = new Map<string, Vector3>();
    for (let i = 0; i < positions.length; i += 3) {
        keys.push(`${positions[i]} ${positions[i + 1]} ${positions[i + 2]}`);
    }
    const at = (vertex: number) => new Vector3().fromArray(positions, 3 * vertex);
    for (let i = 0; i + 2 < triangles.length; i += 3) {
        const [a, b, c] = [at(triangles[i]!), at(triangles[i + 1]!), at(triangles[i + 2]!)];
        const normal = b.sub(a).cross(c.sub(a));
        for (const vertex of [triangles[i]!, triangles[i + 1]!, triangles[i + 2]!]) {
            const sum = sums.get(keys[vertex]!);
            if (sum) {
                sum.add(normal);
            } else {
                sums.set(keys[vertex]!, normal.clone());
            }
        }
    }
    const outward = new Float32Array(positions.length);
    keys.forEach((key, i) => sums.get(key)?.normalize().toArray(outward, 3 * i));
    geometry.setAttribute("outward", new BufferAttribute(outward, 3));
}
