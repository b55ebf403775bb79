// Runs in the audio thread: collects what the microphone hears and posts it in blocks of about 10 ms.

declare class AudioWorkletProcessor {
    readonly port: MessagePort;
}
declare function registerProcessor(name: string, processor: new () => AudioWorkletProcessor): void;
declare const sampleRate: number;

class BreathProcessor extends AudioWorkletProcessor {
    private readonly size = Math.max(128, Math.round(sampleRate / 100));
    private block = new Float32Array(this.size);
    private filled = 0;

    process(inputs: Float32Array[][]): boolean {
        const channel = inputs[0]?.[0];
        if (!channel) {
            return true;
        }
        for (let at = 0; at < channel.length;) {
            const count = Math.min(channel.length - at, this.size - this.filled);
            this.block.set(channel.subarray(at, at + count), this.filled);
            this.filled += count;
            at += count;
            if (this.filled === this.size) {
                this.port.postMessage(this.block, [this.block.buffer]);
                this.block = new Float32Array(this.size);
                this.filled = 0;
            }
        }
        return true;
    }
}

registerProcessor("sinew-breath", BreathProcessor);
