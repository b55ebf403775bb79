// Numbers as plots show them: energies from their start, round-off as zero. Nothing here knows of the DOM.

const roundOff = 1e-12; // of the numbers that were added up; and by itself, in any unit of SI
const unseen = 1e-9; // of the largest in the picture

// Kinetic, of gravity, otherwise stored, total, as frames have them. Where a potential is zero is a matter of taste, and a large
// offset flattens all the rest: what is stored counts from the start, and the total with it, so that the three still add up.
export class EnergyStart {
    private stored: [number, number] | null = null;
    private largest = 0;

    constructor(energies?: readonly number[]) {
        if (energies?.length === 4 && energies.every(Number.isFinite)) {
            this.stored = [energies[1]!, energies[2]!];
        }
    }

    count(energies: ArrayLike<number>): number[] {
        const [kinetic, gravity, other, total] = [energies[0]!, energies[1]!, energies[2]!, energies[3]!];
        this.stored ??= [gravity, other];
        this.largest = Math.max(this.largest, ...[kinetic, gravity, other, total].map(Math.abs).filter(Number.isFinite));
        return [kinetic, gravity - this.stored[0], other - this.stored[1], total - this.stored[0] - this.stored[1]];
    }

    // Below this a number is nothing but rounding.
    get noise(): number {
        return roundOff * this.largest;
    }
}

function largestOf(columns: readonly number[][]): number {
    let largest = 0;
    for (const column of columns) {
        for (const value of column) {
            largest = Math.abs(value) > largest ? Math.abs(value) : largest; // NaN is not
        }
    }
    return largest;
}

// Columns of one unit, with zeros for what is lost in the picture or below the noise.
export function withoutRoundOff(columns: readonly number[][], noise = 0): number[][] {
    const largest = largestOf(columns);
    const least = largest < roundOff ? Infinity : Math.max(noise, unseen * largest);
    return columns.map((column) => column.map((value) => (Math.abs(value) < least ? 0 : value)));
}

// What an axis shows of values from `low` to `high`: a number that stays the same but for rounding is a flat line in the middle.
export function plotRange(low: number, high: number): [number, number] {
    if (!(Number.isFinite(low) && Number.isFinite(high))) {
        return [-1, 1];
    }
    const size = Math.max(Math.abs(low), Math.abs(high));
    if (high - low <= Math.max(unseen * size, roundOff)) {
        const pad = size > roundOff ? 0.5 * size : 1;
        const middle = size > roundOff ? 0.5 * (low + high) : 0;
        return [middle - pad, middle + pad];
    }
    const pad = 0.1 * (high - low);
    // Zero as an end is a fact, not a coincidence.
    return [low === 0 ? 0 : low - pad, high === 0 ? 0 : high + pad];
}
