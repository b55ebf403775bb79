// What things are made of. Their surroundings, which gloss and metal mirror, are a bright room with two soft windows,
// written as a formula: unlike a picture of a room it needs no preparation, which takes seconds where there is no graphics
// hardware. It is the same by day and by night, or black things would vanish in the dark; by night a light from behind draws
// their edges as well, and round wires whole.

import { MeshStandardMaterial, Vector3 } from "three";
import type { MeshStandardMaterialParameters } from "three";

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

export function makeSurface(parameters: MeshStandardMaterialParameters): MeshStandardMaterial {
    const material = new MeshStandardMaterial(parameters);
    material.onBeforeCompile = (shader) => {
        shader.uniforms.roomLight = roomLight;
        shader.uniforms.rimLight = rimLight;
        shader.fragmentShader = shader.fragmentShader
            .replace("void main() {", `${room}\nvoid main() {`)
            .replace("#include <lights_fragment_maps>", reflections);
    };
    material.customProgramCacheKey = () => "sinew";
    return material;
}
