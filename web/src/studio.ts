// The room things stand in: sky, ground, light and shadow. Calm on purpose, as in a museum.

import {
    BackSide, CircleGeometry, Color, DirectionalLight, HemisphereLight, Mesh, PlaneGeometry, PMREMGenerator, Scene,
    ShaderMaterial, ShadowMaterial, SphereGeometry, Vector3,
} from "three";
import type { WebGLRenderer } from "three";
import type { Theme } from "./theme";

interface Palette {
    zenith: string;
    horizon: string;
    ground: string;
    shadow: number; // how dark it is on the ground
    key: number; // strengths of the lights
    sky: number;
    reflections: number;
}

const palettes: Record<Theme, Palette> = {
    light: { zenith: "#dde1e2", horizon: "#f3f0ea", ground: "#e2ddd3", shadow: 0.3, key: 2.0, sky: 0.7, reflections: 0.6 },
    dark: { zenith: "#0d0f12", horizon: "#2a2c31", ground: "#1b1c20", shadow: 0.55, key: 2.3, sky: 0.6, reflections: 0.7 },
};

// Where the key light comes from, seen from the middle of the scene: above, in front, to the left.
const keyDirection = new Vector3(-0.4, -0.34, 1.1).normalize();

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

    constructor(private readonly scene: Scene, private readonly renderer: WebGLRenderer) {
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
        this.makeReflections();
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
        this.scene.environmentIntensity = palette.reflections;
        this.paintGround();
    }

    setShadows(on: boolean): void {
        this.key.castShadow = on;
        this.redrawShadows();
    }

    redrawShadows(): void {
        this.key.shadow.needsUpdate = true;
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

    // What things mirror: a bright room with soft windows where the lights are. The same in the dark, only weaker, or
    // black things would vanish there.
    private makeReflections(): void {
        const room = new Scene();
        const dome = this.sky.clone();
        room.add(dome);
        const owned: { dispose(): void }[] = [];
        const addPanel = (at: Vector3, size: number, brightness: number) => {
            const material = new ShaderMaterial({
                vertexShader: "void main() { gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }",
                fragmentShader: "uniform float brightness; void main() { gl_FragColor = vec4(vec3(brightness), 1.0); }",
                uniforms: { brightness: { value: brightness } },
                side: 2,
            });
            const panel = new Mesh(new PlaneGeometry(size, size), material);
            panel.position.copy(at);
            panel.lookAt(0, 0, 0);
            room.add(panel);
            owned.push(material, panel.geometry);
        };
        addPanel(keyDirection.clone().multiplyScalar(8), 7, 5);
        addPanel(new Vector3(7, 3, 4), 4, 1.6);
        const generator = new PMREMGenerator(this.renderer);
        this.scene.environment = generator.fromScene(room, 0.03, 0.1, 100).texture;
        generator.dispose();
        owned.forEach((thing) => thing.dispose());
    }
}
