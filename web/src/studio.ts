// The room things stand in: sky, ground, light and shadow. Calm on purpose, as in a museum.

import {
    AmbientLight, BackSide, CircleGeometry, Color, DirectionalLight, Fog, HemisphereLight, Mesh, MeshLambertMaterial,
    PlaneGeometry, PMREMGenerator, Scene, ShaderMaterial, SphereGeometry, Vector3,
} from "three";
import type { Material, Texture, WebGLRenderer } from "three";
import type { Theme } from "./theme";

interface Palette {
    zenith: string;
    horizon: string;
    ground: string;
    key: number; // strengths of the lights
    sky: number;
    reflections: number;
}

const palettes: Record<Theme, Palette> = {
    light: { zenith: "#dfe3e4", horizon: "#f1eee8", ground: "#e4e0d7", key: 2.3, sky: 0.9, reflections: 0.75 },
    dark: { zenith: "#0e1013", horizon: "#23252a", ground: "#212327", key: 2.6, sky: 0.45, reflections: 0.55 },
};

// Where the key light comes from, seen from the middle of the scene: above, in front, to the left.
const keyDirection = new Vector3(-0.55, -0.6, 1.1).normalize();

const skyVertex = `
varying vec3 direction;
void main() {
    direction = position;
    vec4 p = projectionMatrix * vec4(mat3(modelViewMatrix) * position, 1.0);
    gl_Position = p.xyww; // at the far plane
}`;

const skyFragment = `
uniform vec3 zenith;
uniform vec3 horizon;
varying vec3 direction;
void main() {
    float height = clamp(normalize(direction).z, 0.0, 1.0);
    gl_FragColor = vec4(mix(horizon, zenith, sqrt(height)), 1.0);
    #include <colorspace_fragment>
}`;

export class Studio {
    private readonly key = new DirectionalLight("#fff6ea", 2.3);
    private readonly fill = new HemisphereLight("#ffffff", "#888888", 0.9);
    private readonly sky: Mesh<SphereGeometry, ShaderMaterial>;
    private readonly ground: Mesh<CircleGeometry, MeshLambertMaterial>;
    private readonly fog = new Fog("#ffffff", 1, 2);
    private groundColour: string | null = null;
    private reflections: Texture | null = null;
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
            uniforms: { zenith: { value: new Color() }, horizon: { value: new Color() } },
            side: BackSide,
            depthWrite: false,
            depthTest: true,
            fog: false,
        }));
        this.fill.position.set(0, 0, 1); // its sky is above, and z is up
        this.sky.frustumCulled = false;
        this.sky.renderOrder = -1;
        this.ground = new Mesh(new CircleGeometry(1, 96), new MeshLambertMaterial());
        this.ground.receiveShadow = true;
        scene.add(this.sky, this.ground, this.key, this.key.target, this.fill);
        scene.fog = this.fog;
    }

    setTheme(theme: Theme): void {
        this.theme = theme;
        const palette = palettes[theme];
        this.sky.material.uniforms.zenith!.value.set(palette.zenith);
        this.sky.material.uniforms.horizon!.value.set(palette.horizon);
        this.fog.color.set(palette.horizon);
        this.key.intensity = palette.key;
        this.fill.intensity = palette.sky;
        this.fill.color.set(theme === "dark" ? "#aab4c4" : "#ffffff");
        this.fill.groundColor.set(palette.ground);
        this.scene.environmentIntensity = palette.reflections;
        this.paintGround();
        this.makeReflections(palette);
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
        this.ground.scale.setScalar(60 * radius);
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

    // The ground fades into the horizon, as far away as the eye asks for.
    setEye(distance: number, radius: number): void {
        this.fog.near = distance + 2.5 * radius;
        this.fog.far = distance + 22 * radius;
    }

    private paintGround(): void {
        const colour = this.ground.material.color.set(this.groundColour ?? palettes[this.theme].ground);
        if (this.groundColour && this.theme === "dark") {
            colour.multiplyScalar(0.35);
        }
    }

    // What metals mirror: the same sky, with a soft window where the light is.
    private makeReflections(palette: Palette): void {
        const room = new Scene();
        room.add(new AmbientLight());
        const dome = this.sky.clone();
        dome.material = this.sky.material.clone();
        dome.scale.setScalar(50);
        room.add(dome);
        const owned: { dispose(): void }[] = [dome.material as Material];
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
        const floor = new Mesh(new CircleGeometry(40, 32), new ShaderMaterial({
            vertexShader: "void main() { gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }",
            fragmentShader: "uniform vec3 colour; void main() { gl_FragColor = vec4(colour, 1.0); }",
            uniforms: { colour: { value: new Color(palette.ground) } },
        }));
        floor.position.z = -3;
        room.add(floor);
        owned.push(floor.geometry, floor.material);
        const generator = new PMREMGenerator(this.renderer);
        const target = generator.fromScene(room, 0.03, 0.1, 100);
        this.reflections?.dispose();
        this.reflections = target.texture;
        this.scene.environment = target.texture;
        generator.dispose();
        owned.forEach((thing) => thing.dispose());
    }
}
