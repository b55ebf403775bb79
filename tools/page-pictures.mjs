// Pictures for README.md that Chromium takes: of the build sheet, and of the live page while it runs.
//
//     node tools/page-pictures.mjs build-sheet|live-page WORK_FOLDER FILE.png
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { NativeServer, startBrowser, View } from "../tests/browser/browser.mjs";

const [name, work, file] = process.argv.slice(2);
const browser = await startBrowser("/dev/null");

// The first page: plan and tables.
async function buildSheet() {
    const page = await browser.newPage({ viewport: { width: 760, height: 507 }, deviceScaleFactor: 1.5 });
    await page.goto(pathToFileURL(resolve(work, "build-sheet.html")).href);
    await page.screenshot({ path: file });
}

// The Steel Fish, blown at, with plots open.
async function livePage() {
    const folder = mkdtempSync(join(tmpdir(), "sinew-pictures-"));
    const server = await NativeServer.start(null, { folder });
    try {
        const view = await View.open(browser, server.address, { hash: "#scene=steel-fish", size: { width: 1400, height: 800 } });
        await view.play();
        await view.until("it has been blown at", () => window.tap.frame?.time > 4.5);
        await view.id("tab-plots").click();
        await view.sleep(2500);
        await view.page.screenshot({ path: file });
    } finally {
        await server.end();
        rmSync(folder, { recursive: true, force: true });
    }
}

try {
    await (name === "build-sheet" ? buildSheet() : livePage());
} finally {
    await browser.close();
}
