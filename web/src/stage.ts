// The place of the picture in the page: how many pixels it has, and what bars and panels leave free of it.

import type { OrbitCamera } from "./camera";
import { find } from "./element";
import type { SceneView } from "./scene_view";

const largestVideo = 4096; // pixels, that encoders take

// As in style.css: a phone held upright.
function isNarrow(): boolean {
    return matchMedia("(max-width: 640px)").matches;
}

export class Stage {
    rate = 60; // pictures a second
    private inset = { right: 0, bottom: 0 };
    private sharpness: number; // of the pixels that the display has
    private slowPictures = 0;
    private full = false;

    // `isCovered`: a panel or an error stands before the picture; `isRecorded`: its number of pixels has to stay.
    constructor(private readonly view: SceneView, private readonly camera: OrbitCamera,
                private readonly isCovered: () => boolean, private readonly isRecorded: () => boolean) {
        this.sharpness = view.isSoftware ? 0.75 : 1;
    }

    // Follows the window's size from now on.
    watch(): void {
        const fit = () => {
            this.fitCanvas();
            this.camera.covered = this.coverage();
            this.camera.coveredSide = this.sideCoverage();
            if (this.camera.preset !== null) {
                this.camera.look(this.camera.preset, this.view.centre);
                this.camera.jump();
            }
            this.inset = { ...this.wantedInset() };
            this.view.setInsets(this.inset.right, this.inset.bottom);
            this.camera.update(0);
            this.drawAgain();
        };
        new ResizeObserver(fit).observe(this.view.canvas);
        fit();
    }

    // What the bars and an open panel cover.
    private wantedInset(): { right: number; bottom: number } {
        const panel = this.isCovered() ? find("cards") : null;
        return isNarrow()
            ? { right: 0, bottom: 110 + (panel ? panel.offsetHeight : 0) }
            : { right: panel ? panel.offsetWidth : 0, bottom: 76 };
    }

    // The share of the picture's height that bars cover; on a phone panels do, too.
    private coverage(): number {
        const covered = isNarrow() ? 120 + this.wantedInset().bottom : 120;
        return Math.min(0.6, covered / Math.max(1, this.view.canvas.clientHeight));
    }

    private sideCoverage(): number {
        return Math.min(0.6, this.wantedInset().right / Math.max(1, this.view.canvas.clientWidth));
    }

    // A view that nobody has turned stands back when a panel comes before it.
    private standBack(): void {
        const covered = this.coverage();
        const side = this.sideCoverage();
        if (Math.abs(covered - this.camera.covered) + Math.abs(side - this.camera.coveredSide) > 0.01) {
            this.camera.covered = covered;
            this.camera.coveredSide = side;
            if (this.camera.preset !== null) {
                this.camera.look(this.camera.preset, this.view.centre);
            }
        }
    }

    // What is looked at moves to the middle of what is free, by a share of the way.
    ease(share: number): void {
        const wanted = this.wantedInset();
        const right = this.inset.right + share * (wanted.right - this.inset.right);
        const bottom = this.inset.bottom + share * (wanted.bottom - this.inset.bottom);
        if (Math.abs(wanted.right - this.inset.right) + Math.abs(wanted.bottom - this.inset.bottom) > 0.5) {
            this.inset = { right, bottom };
            this.view.setInsets(right, bottom);
            this.standBack();
        }
    }

    // After each picture, with the time since the one before. A display that cannot keep up gets fewer pixels, rather than fewer
    // pictures.
    watchRate(milliseconds: number): void {
        this.rate += 0.05 * (1000 / Math.max(1, milliseconds) - this.rate);
        this.slowPictures = milliseconds > 40 && milliseconds < 2000 ? this.slowPictures + 1 : Math.max(0, this.slowPictures - 1);
        if (this.slowPictures > 20 && this.sharpness * devicePixelRatio > 0.5 && !this.isRecorded()) {
            this.view.studio.makeCheaper();
            this.sharpness *= 0.75;
            this.slowPictures = 0;
            this.fitCanvas();
            this.drawAgain();
        }
    }

    // A canvas of another size is empty, and would be shown so: this picture's turn to draw is over.
    private drawAgain(): void {
        if (this.view.frame) {
            this.view.draw();
        }
    }

    // A picture or video has all pixels of the display, whatever is seen meanwhile, and a video keeps their number.
    setFull(full: boolean): void {
        this.full = false;
        this.fitCanvas(full);
        this.full = full;
    }

    private fitCanvas(full = false): void {
        if (this.full) {
            return;
        }
        const width = Math.max(1, this.view.canvas.clientWidth);
        const height = Math.max(1, this.view.canvas.clientHeight);
        const all = Math.min(devicePixelRatio, largestVideo / Math.max(width, height));
        this.view.resize(width, height, full ? all : this.sharpness * Math.min(devicePixelRatio, 2), full);
    }
}
