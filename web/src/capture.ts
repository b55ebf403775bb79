// Pictures and videos of what is shown, with all pixels that the display has: what is seen may have fewer, where drawing is slow.

import { offerDownload } from "./element";
import type { SceneView } from "./scene_view";

const videoTypes = ["video/mp4;codecs=avc1", "video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm"];

const bitsPerPixel = 0.1;

export class Capture {
    private recorder: MediaRecorder | null = null;

    // `setFull` gives the canvas all pixels of the display, in even numbers as encoders want them, and keeps them; or lets it go.
    constructor(private readonly view: SceneView, private readonly name: () => string,
                private readonly tell: (text: string) => void, private readonly changed: (recording: boolean) => void,
                private readonly setFull: (full: boolean) => void) {}

    screenshot(): void {
        if (!this.recording) { // that has them already
            this.setFull(true);
        }
        // The picture must be taken before the browser shows it, or the buffer is empty.
        this.view.draw(true);
        this.view.canvas.toBlob((blob) => {
            if (blob) {
                offerDownload(`${this.name()}.png`, blob);
            } else {
                this.tell("The picture could not be made.");
            }
        }, "image/png");
        if (!this.recording) {
            this.setFull(false);
        }
    }

    get recording(): boolean {
        return this.recorder !== null;
    }

    toggleVideo(): void {
        if (this.recorder) {
            this.recorder.stop();
            return;
        }
        const type = typeof MediaRecorder === "undefined" ? undefined : videoTypes.find((t) => MediaRecorder.isTypeSupported(t));
        if (type === undefined) {
            this.tell("This browser cannot record videos.");
            return;
        }
        this.setFull(true);
        const { width, height } = this.view.canvas;
        const recorder = new MediaRecorder(this.view.canvas.captureStream(60), {
            mimeType: type, videoBitsPerSecond: Math.max(12e6, bitsPerPixel * 60 * width * height),
        });
        const parts: Blob[] = [];
        recorder.ondataavailable = (event) => parts.push(event.data);
        recorder.onstop = () => {
            this.recorder = null;
            this.setFull(false);
            this.changed(false);
            const video = new Blob(parts, { type });
            if (video.size === 0) {
                this.tell("The video is empty: record a little longer.");
            } else {
                offerDownload(`${this.name()}.${type.startsWith("video/mp4") ? "mp4" : "webm"}`, video);
            }
        };
        recorder.onerror = () => this.tell("The recording failed.");
        this.recorder = recorder;
        recorder.start(1000);
        this.changed(true);
    }
}
