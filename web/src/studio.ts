// The room things stand in: sky, ground, light and shadow. Calm on purpose, as in a museum.

import {
    BackSide, CircleGeometry, Color, DirectionalLight, HemisphereLight, Mesh, ShaderMaterial, ShadowMaterial,
    SphereGeometry,
} from "three";
import type { Scene, Vector3 } from "three";
import { keyDirection, rimLight, roomLight, wireTone } from "./surface";
import type { Theme } from "./theme";

interface Palette {
    zenith: string;
    horizon: string;
    ground: string;
    shadow: number; // how dark it is on the ground
    key: number; // strengths of the lights
    sky: number;
    reflections: number;
    rim: number; // light from behind
    wires: number; // see wireTone
}

const palettes: Record<Theme, Palette> = {
    light: { zenith: "#dde1e2", horizon: "#f3f0ea", ground: "#e2ddd3", shadow: 0.3, key: 2.0, sky: 0.6, reflections: 0.72, rim: 0, wires: -0.5 },
    dark: {
        zenith: "#1f2227", horizon: "#6e737b", ground: "#393c42", shadow: 0.5, key: 2.3, sky: 0.7, reflections: 0.9, rim: 0.3, wires: 0.86,
    },
};

const skyVertex = `
varying vec3 direction;
void main() {
    direction = position;
    vec4 p = projectionMatrix * vec4(mat3(modelViewMatrix) * position, 1.0);
    gl_Position = p.xyww; // at the far plane
}`;

// The ground without end is part of the sky, so that there is no edge between them; shadows are laid over it.
const skyFragment = `
uniform vec3 zenith;
uniform vec3 horizon;
uniform vec3 ground;
varying vec3 direction;
void main() {
    float height = normalize(direction).z;
    vec3 above = mix(horizon, zenith, sqrt(clamp(height, 0.0, 1.0)));
    vec3 below = mix(horizon, ground, smoothstep(0.0, 0.45, -height));
    gl_FragColor = vec4(height > 0.0 ? above : below, 1.0);
    #include <colorspace_fragment>
}`;

export class Studio {
    private readonly key = new DirectionalLight("#fff6ea", 2.3);
    private readonly fill = new HemisphereLight("#ffffff", "#888888", 0.9);
    private readonly sky: Mesh<SphereGeometry, ShaderMaterial>;
    private readonly ground: Mesh<CircleGeometry, ShadowMaterial>;
    private groundColour: string | null = null;
    private theme: Theme = "light";

    constructor(scene: Scene) {
        this.key.castShadow = true;
        this.key.shadow.mapSize.set(2048, 2048);
        this.key.shadow.radius = 5;
        this.key.shadow.blurSamples = 12;
        this.key.shadow.autoUpdate = false;
        this.sky = new Mesh(new SphereGeometry(1, 32, 16), new ShaderMaterial({
            vertexShader: skyVertex,
            fragmentShader: skyFragment,
            uniforms: {
                zenith: { value: new Color() }, horizon: { value: new Color() }, ground: { value: new Color() },
            },
            side: BackSide,
            depthWrite: false,
            depthTest: true,
        }));
        this.fill.position.set(0, 0, 1); // its sky is above, and z is up
        this.sky.frustumCulled = false;
        this.sky.renderOrder = -1;
        this.ground = new Mesh(new CircleGeometry(1, 48), new ShadowMaterial({ color: "#0b0906", depthWrite: false }));
        this.ground.receiveShadow = true;
        scene.add(this.sky, this.ground, this.key, this.key.target, this.fill);
        this.setTheme("light");
    }

    setTheme(theme: Theme): void {
        this.theme = theme;
        const palette = palettes[theme];
        this.sky.material.uniforms.zenith!.value.set(palette.zenith);
        this.sky.material.uniforms.horizon!.value.set(palette.horizon);
        this.ground.material.opacity = palette.shadow;
        this.key.intensity = palette.key;
        this.fill.intensity = palette.sky;
        this.fill.color.set(theme === "dark" ? "#aab4c4" : "#ffffff");
        this.fill.groundColor.set(palette.ground);
        roomLight.value = palette.reflections;
        rimLight.value = palette.rim;
        wireTone.value = palette.wires;
        this.paintGround();
    }

    setShadows(on: boolean): void {
        this.key.castShadow = on;
        this.redrawShadows();
    }

    redrawShadows(): void {
        this.key.shadow.needsUpdate = true;
    }

    // For displays that cannot keep up.
    makeCheaper(): void {
        if (this.key.shadow.mapSize.x === 1024) {
            return;
        }
        this.key.shadow.mapSize.set(1024, 1024);
        this.key.shadow.map?.dispose();
        this.key.shadow.map = null;
        this.redrawShadows();
    }

    // Light and ground for a scene about `centre` of that `radius`, with the ground at height z.
    setExtent(centre: Vector3, radius: number, z: number, colour: string | null): void {
        this.ground.position.set(centre.x, centre.y, z);
        this.ground.scale.setScalar(6 * radius);
        this.groundColour = colour;
        this.paintGround();
        this.key.target.position.copy(centre);
        this.key.position.copy(centre).addScaledVector(keyDirection, 4 * radius);
        const eye = this.key.shadow.camera;
        const half = 1.5 * radius;
        eye.left = eye.bottom = -half;
        eye.right = eye.top = half;
        eye.near = 0.5 * radius;
        eye.far = 9 * radius;
        eye.updateProjectionMatrix();
        this.key.shadow.normalBias = 0.004 * radius;
        this.key.shadow.bias = -0.0004;
        this.redrawShadows();
    }

    private paintGround(): void {
        const colour = this.sky.material.uniforms.ground!.value as Color;
        colour.set(palettes[this.theme].ground);
        if (this.groundColour) {
            const own = new Color(this.groundColour).multiplyScalar(this.theme === "dark" ? 0.3 : 0.9);
            colour.lerp(own, 0.6);
        }
    }
}
