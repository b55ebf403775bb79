// MuJoCo's flexible bodies (npm's @mujoco/mujoco, WebAssembly, one thread) on the case elastic-beam of
// app/bench_elastic.c: 4 x 1 x 1 m, `size` cubes across, six elements a cube, one end pinned.
//
// The cost is that of a swing under full weight without damping; the tip is that of a damped run at
// a thousandth of the weight, in the limit of small strains.
import {pathToFileURL} from 'node:url';

const options = {};
for (let i = 2; i + 1 < process.argv.length; i += 2) {
    options[process.argv[i].slice(2)] = process.argv[i + 1];
}
if (options.case !== 'elastic-beam') {
    process.exit(2);
}
// tools/bench puts the package there.
const path = `${process.cwd()}/build/npm-peers/node_modules/@mujoco/mujoco/mujoco.js`;
const mujoco = await (await import(pathToFileURL(path))).default();
const size = Number(options.size), steps = Number(options.steps);

function beam(gravity, damping) {
    const model = mujoco.MjModel.from_xml_string(`<mujoco>
        <option timestep="${options.step}" integrator="discrete" gravity="0 0 ${-gravity}">
            <flag contact="disable"/>
        </option>
        <worldbody>
            <flexcomp name="beam" type="grid" dim="3" mass="4000" radius="0.001"
                count="${4 * size + 1} ${size + 1} ${size + 1}"
                spacing="${1 / size} ${1 / size} ${1 / size}">
                <edge equality="false"/>
                <contact selfcollide="none" internal="false"/>
                <elasticity young="1e7" poisson="0.3" damping="${damping}"/>
                <pin gridrange="0 0 0 0 ${size} ${size}"/>
            </flexcomp>
        </worldbody>
    </mujoco>`);
    const data = new mujoco.MjData(model);
    mujoco.mj_forward(model, data);
    return {model, data};
}

function advance({model, data}, count) {
    for (let i = 0; i < count; ++i) {
        mujoco.mj_step(model, data);
    }
}

// The vertex in the middle of the free end.
function tipOf({data}) {
    const x = data.flexvert_xpos;
    let right = -Infinity, tip = 0, least = Infinity;
    for (let i = 0; i < x.length; i += 3) {
        right = Math.max(right, x[i]);
    }
    for (let i = 0; i < x.length; i += 3) {
        const off = Math.hypot(x[i] - right, x[i + 1], x[i + 2]);
        [least, tip] = off < least ? [off, i] : [least, tip];
    }
    return tip;
}

const swing = beam(9.81, 0);
advance(swing, 30); // until it is compiled
const started = process.cpuUsage();
advance(swing, steps);
const used = process.cpuUsage(started);

const share = 1e-3, hanging = beam(9.81 * share, 0.1), tip = tipOf(hanging);
const height = hanging.data.flexvert_xpos[tip + 2];
advance(hanging, 300);
const down = (hanging.data.flexvert_xpos[tip + 2] - height) / share;
console.log(JSON.stringify({
    value: (used.user + used.system) / 1000 / steps,
    tip_error: Math.abs(down / -0.3911001 - 1),
    elements: swing.model.nflexelem,
}));
