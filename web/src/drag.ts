// A body pulled by a spring that the user holds. The engine has the spring; the page sends where the hand is and
// draws what frames tell of it, so that two people at one world see each other's.

import { Group, Mesh, MeshBasicMaterial, Plane, SphereGeometry, Vector3 } from "three";
import type { Connection } from "./connection";
import { between, coil } from "./line_view";
import type { Frame } from "./protocol";
import type { Pick, SceneView } from "./scene_view";
import type { Theme } from "./theme";

interface Spring {
    group: Group;
    coil: Mesh;
    hand: Mesh;
    stretch: number; // what the coil was made for, see line_view.ts
}

export class Drag {
    private body = -1;
    private readonly plane = new Plane();
    private readonly hand = new Vector3();
    private asked = false;
    private readonly springs: Spring[] = [];
    private readonly handShape = new SphereGeometry(1, 20, 12);
    private readonly wire = new MeshBasicMaterial({ toneMapped: false, depthTest: false, transparent: true });
    private readonly grip = new MeshBasicMaterial({ toneMapped: false, depthTest: false, transparent: true });

    constructor(private readonly view: SceneView, private readonly connection: () => Connection | null) {
        this.grip.color = view.accent;
    }

    setTheme(theme: Theme): void {
        this.wire.color.set(theme === "dark" ? "#f4f1eb" : "#1f1f1d");
    }

    get active(): boolean {
        return this.body >= 0;
    }

    begin(pick: Pick): void {
        this.body = pick.body;
        this.hand.copy(pick.world);
        // The hand stays as far from the eye as the point it took.
        const facing = this.view.camera.getWorldDirection(new Vector3());
        this.plane.setFromNormalAndCoplanarPoint(facing, pick.world);
        this.connection()?.send({
            do: "grab", body: pick.body, point: pick.local.toArray(), to: this.hand.toArray(),
        });
    }

    // Where the pointer is; sent once for each picture at most.
    move(x: number, y: number): void {
        if (!this.view.ray(x, y).ray.intersectPlane(this.plane, this.hand) || this.asked) {
            return;
        }
        this.asked = true;
        requestAnimationFrame(() => {
            this.asked = false;
            if (this.active) {
                this.connection()?.send({ do: "drag", to: this.hand.toArray() });
            }
        });
    }

    end(): void {
        if (this.active) {
            this.body = -1;
            this.connection()?.send({ do: "release" });
        }
    }

    show(frame: Frame): void {
        while (this.springs.length < frame.grabs.length) {
            this.springs.push(this.makeSpring());
        }
        this.springs.forEach((spring, i) => {
            const grab = frame.grabs[i];
            spring.group.visible = grab !== undefined;
            if (!grab) {
                return;
            }
            const from = new Vector3(...grab.from);
            const to = new Vector3(...grab.to);
            const size = this.pixels(to);
            this.fitCoil(spring, from.distanceTo(to) / (5 * size));
            between(from, to, 5 * size, spring.coil.matrix);
            spring.hand.position.copy(to);
            spring.hand.scale.setScalar(6 * size);
        });
    }

    private fitCoil(spring: Spring, stretch: number): void {
        const length = Math.min(Math.max(stretch, 1), 400);
        if (Math.abs(Math.log(length / spring.stretch)) > 0.15) {
            spring.stretch = length;
            spring.coil.geometry.dispose();
            spring.coil.geometry = coil(9, 0.22, length);
        }
    }

    // The length of a pixel at that place.
    private pixels(at: Vector3): number {
        const { camera, canvas } = this.view;
        const depth = at.clone().applyMatrix4(camera.matrixWorldInverse).z;
        return 2 * Math.abs(depth) * Math.tan(camera.fov * Math.PI / 360) / Math.max(1, canvas.clientHeight);
    }

    private makeSpring(): Spring {
        const spring = {
            group: new Group(), coil: new Mesh(coil(9, 0.22, 1), this.wire), hand: new Mesh(this.handShape, this.grip),
            stretch: 1,
        };
        spring.coil.matrixAutoUpdate = false;
        spring.coil.frustumCulled = spring.hand.frustumCulled = false;
        spring.coil.renderOrder = 8;
        spring.hand.renderOrder = 9;
        spring.group.add(spring.coil, spring.hand);
        this.view.scene.add(spring.group);
        return spring;
    }
}
