// An own scene in the page, as tools/newcomer opens it: it runs, something is to be seen, and nothing complains.
//
//     node tools/newcomer-page.mjs SCENE.json PICTURE.png
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NativeServer, root, startBrowser, View } from "../tests/browser/browser.mjs";

const sharp = createRequire(join(root, "web/package.json"))("sharp");
const [scene, picture] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "sinew-newcomer-"));
const browser = await startBrowser("/dev/null");
const server = await NativeServer.start(scene, { folder });
let wrong = "";

// Pixels of a colour, in the part of the page that bars do not cover: the ground and the sky are grey.
async function colouredPixels() {
    const { data, info } = await sharp(picture).removeAlpha().raw().toBuffer({ resolveWithObject: true });
    let count = 0;
    for (let y = 80; y < info.height - 120; ++y) {
        for (let x = 20; x < info.width - 120; ++x) {
            const at = 3 * (y * info.width + x);
            const [r, g, b] = [data[at], data[at + 1], data[at + 2]];
            count += Math.max(r, g, b) - Math.min(r, g, b) > 70 ? 1 : 0;
        }
    }
    return count;
}

try {
    const view = await View.open(browser, server.address, { size: { width: 1120, height: 700 } });
    await view.there();
    await view.play();
    await view.running();
    await view.sleep(1500);
    await view.page.screenshot({ path: picture });
    const seen = await colouredPixels();
    console.log(`${seen} pixels of colour`);
    if (seen < 200) {
        wrong = `the page of ${scene} shows nothing of it (${seen} pixels of colour)`;
    } else if (view.complaints.length > 0) {
        wrong = `the console says: ${view.complaints.join("; ")}`;
    }
} finally {
    await server.end();
    await browser.close();
    rmSync(folder, { recursive: true, force: true });
}
if (wrong !== "") {
    console.error(wrong);
    process.exit(1);
}
