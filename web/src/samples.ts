// Columns of numbers over time, as plots want them. What is measured is kept as it came; nothing is filled in.

export class Samples {
    readonly times: number[] = [];
    readonly columns: number[][];

    // At most `capacity` moments: the oldest quarter goes when it is full.
    constructor(width: number, private readonly capacity = 6000) {
        this.columns = Array.from({ length: width }, () => []);
    }

    // A moment that is not after the last one tells that time went back: what came after it never happened.
    add(time: number, values: ArrayLike<number>): void {
        if (values.length !== this.columns.length) {
            return;
        }
        const last = this.times.at(-1);
        if (last !== undefined && time <= last) {
            this.forgetFrom(time);
        }
        if (this.times.length >= this.capacity) {
            const gone = Math.ceil(this.capacity / 4);
            this.times.splice(0, gone);
            this.columns.forEach((column) => column.splice(0, gone));
        }
        this.times.push(time);
        this.columns.forEach((column, i) => column.push(values[i]!));
    }

    // Removes all moments from `time` on.
    forgetFrom(time: number): void {
        let low = 0;
        let high = this.times.length;
        while (low < high) {
            const middle = (low + high) >> 1;
            if (this.times[middle]! < time) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        this.times.length = low;
        this.columns.forEach((column) => {
            column.length = low;
        });
    }

    clear(): void {
        this.forgetFrom(-Infinity);
    }
}
