import { existsSync, readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import sharp from "sharp";
import { defineConfig } from "vite";
import type { Plugin } from "vite";

const here = fileURLToPath(new URL(".", import.meta.url));
const pictures = join(here, "../docs/gallery");

// The gallery's pictures, made small: docs/gallery/NAME.png becomes thumbnails/NAME.webp.
function thumbnails(): Plugin {
    const shrink = async (name: string) =>
        sharp(await readFile(join(pictures, `${name}.png`))).resize(288, 180).webp({ quality: 80 }).toBuffer();
    const names = existsSync(pictures)
        ? readdirSync(pictures).filter((file) => file.endsWith(".png")).map((file) => file.slice(0, -4))
        : [];
    return {
        name: "sinew-thumbnails",
        async generateBundle() {
            for (const name of names) {
                this.emitFile({ type: "asset", fileName: `thumbnails/${name}.webp`, source: await shrink(name) });
            }
        },
        configureServer(server) {
            server.middlewares.use("/thumbnails", (request, response, next) => {
                const name = (request.url ?? "").slice(1).replace(/\.webp.*$/, "");
                if (!names.includes(name)) {
                    return next();
                }
                void shrink(name).then((bytes) => response.setHeader("Content-Type", "image/webp").end(bytes));
            });
        },
    };
}

// The page's script is asked for by another one: a link in the head lets it come at once.
function preloadPage(): Plugin {
    return {
        name: "sinew-preload-page",
        transformIndexHtml: {
            order: "post",
            handler(_, { bundle }) {
                const page = Object.values(bundle ?? {}).find((chunk) => chunk.type === "chunk" && chunk.name === "page");
                return page
                    ? [{ tag: "link", attrs: { rel: "modulepreload", crossorigin: true, href: `./${page.fileName}` }, injectTo: "head" as const }]
                    : [];
            },
        },
    };
}

export default defineConfig(({ mode }) => ({
    base: "./",
    plugins: [thumbnails(), preloadPage()],
    // `--mode fake`: an engine that only plays a made-up scene, to look at the page without a real one.
    resolve: mode === "fake"
        ? { alias: [{ find: "./engine_worker", replacement: join(here, "tests/fake_worker_start.ts") }] }
        : {},
    worker: { format: "es" },
    build: {
        target: "es2022",
        outDir: mode === "fake" ? join(here, "../build/fake-page") : "dist",
        emptyOutDir: true,
        assetsInlineLimit: 0,
        modulePreload: { polyfill: false },
        chunkSizeWarningLimit: 900,
        reportCompressedSize: true,
    },
}));
