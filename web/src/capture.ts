// Pictures and videos of what is shown.

import { offerDownload } from "./element";
import type { SceneView } from "./scene_view";

const videoTypes = ["video/mp4;codecs=avc1", "video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm"];

export class Capture {
    private recorder: MediaRecorder | null = null;

    // `resize` gives the canvas the size that `pixelRatio` says; called when a recording begins and when it ends.
    constructor(private readonly view: SceneView, private readonly name: () => string,
                private readonly tell: (text: string) => void, private readonly changed: (recording: boolean) => void,
                private readonly resize: () => void) {}

    screenshot(): void {
        // The picture must be taken before the browser shows it, or the buffer is empty.
        this.view.draw(true);
        this.view.canvas.toBlob((blob) => {
            if (blob) {
                offerDownload(`${this.name()}.png`, blob);
            } else {
                this.tell("The picture could not be made.");
            }
        }, "image/png");
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
        const recorder = new MediaRecorder(this.view.canvas.captureStream(60), { mimeType: type, videoBitsPerSecond: 12e6 });
        const parts: Blob[] = [];
        recorder.ondataavailable = (event) => parts.push(event.data);
        recorder.onstop = () => {
            this.recorder = null;
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
