import assert from "node:assert/strict";
import { test } from "node:test";
import { PerspectiveCamera, Vector3 } from "three";
import { framingDistance, OrbitCamera } from "../src/camera";
import type { Triple } from "../src/protocol";

(globalThis as unknown as { matchMedia: () => { matches: boolean } }).matchMedia = () => ({ matches: true }); // which node lacks

// Every corner of the box, seen by the camera, in shares of the picture from its middle.
function corners(camera: PerspectiveCamera, low: Triple, high: Triple): Vector3[] {
    return Array.from({ length: 8 }, (_, i) => new Vector3(...[0, 1, 2].map((k) => (i >> k & 1 ? high : low)[k]!) as Triple).project(camera));
}

test("a scene without a camera is in the picture, whatever their shapes and sizes", () => {
    for (const aspect of [0.5, 1, 1.78, 3]) {
        for (const size of [[1, 1, 1], [5, 0.1, 0.1], [0.1, 0.1, 5], [0.1, 5, 0.1]]) {
            for (const scale of [1e-3, 1, 100]) {
                const camera = new PerspectiveCamera(45, aspect, 1e-5, 1e5);
                camera.up.set(0, 0, 1);
                const low: Triple = [7 * scale, 0, scale];
                const high = low.map((value, i) => value + scale * size[i]!) as Triple;
                const orbit = new OrbitCamera(camera, () => {});
                const middle = low.map((value, i) => 0.5 * (value + high[i]!)) as Triple;
                orbit.setScene({ given: false, position: [middle[0] + 0.5, middle[1] - 1, middle[2] + 0.4], target: middle, field_of_view: 0.6 },
                    [low, high], new Vector3(...middle), scale);
                orbit.jump();
                orbit.update(1);
                const reach = Math.max(...corners(camera, low, high).map(({ x, y, z }) => {
                    assert.ok(z > -1 && z < 1, "between the near and the far plane");
                    return Math.max(Math.abs(x), Math.abs(y));
                }));
                assert.ok(reach < 1 && reach > 0.6, `${aspect} ${size.join()} ${scale}: ${reach}`);
                assert.equal(orbit.preset, "scene");
            }
        }
    }
});

test("a given camera is kept", () => {
    const orbit = new OrbitCamera(new PerspectiveCamera(45, 1.78, 0.01, 100), () => {});
    orbit.setScene({ given: true, position: [0, -4, 1], target: [0, 0, 1], field_of_view: 0.6 }, [[-1, -1, -1], [1, 1, 1]], new Vector3(), 1);
    assert.ok(new Vector3(...orbit.view.position).distanceTo(new Vector3(0, -4, 1)) < 1e-9);
});

// What it shows of a wide picture is the same where a panel leaves a narrow one.
test("a given camera stands back from a panel as it does in a narrow picture", () => {
    const distance = (aspect: number, side: number) => {
        const orbit = new OrbitCamera(new PerspectiveCamera(45, aspect, 0.01, 100), () => {});
        orbit.coveredSide = side;
        orbit.setScene({ given: true, position: [0, -4, 1], target: [0, 0, 1], field_of_view: 0.6 }, [[-1, -1, -1], [1, 1, 1]], new Vector3(), 1);
        return new Vector3(...orbit.view.position).distanceTo(new Vector3(...orbit.view.target));
    };
    assert.ok(Math.abs(distance(1.6, 0) - 4) < 1e-9);
    assert.ok(distance(1.6, 0.5) > 4.5);
    assert.ok(Math.abs(distance(1.6, 0.5) - distance(0.8, 0)) < 1e-9);
});

test("an origin that moves takes the eye with it", () => {
    const orbit = new OrbitCamera(new PerspectiveCamera(45, 1.78, 0.01, 100), () => {});
    orbit.setGoal([0, -4, 1], [0, 0, 1]);
    orbit.shift(new Vector3(10, 0, 0));
    assert.deepEqual(orbit.view.target, [10, 0, 1]);
});

test("from straight above there is a distance as well", () => {
    assert.ok(Number.isFinite(framingDistance(new Vector3(1, 1, 1), new Vector3(0, 0, 1), 0.3, 0.5)));
    assert.equal(framingDistance(new Vector3(), new Vector3(0, -1, 0), 0.3, 0.5), 1);
});
