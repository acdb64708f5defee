/** One figure of ours beside a peer's, both measured in this run on this machine. */
export interface Comparison {
  name: string;
  unit: string;
  ours: number;
  /** What ours is compared with: another library, or the limit itself. */
  peer: string;
  peerValue: number;
  ratio: number;
  /** `ratio` should not exceed this. */
  goal: number;
  met: boolean;
}

export interface Benchmark {
  name: string;
  /** What it needs beyond Node, or undefined when everything is there: a benchmark that cannot run says so and is left out. */
  missing?: () => string | undefined;
  run: () => Promise<readonly Comparison[]>;
}

export function compare(figure: Omit<Comparison, "ratio" | "met">): Comparison {
  const ratio = figure.ours / figure.peerValue;
  return { ...figure, ratio, met: ratio <= figure.goal };
}

/** The middle value: these machines are noisy, and one slow run must not decide. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
