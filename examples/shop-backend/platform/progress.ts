const barWidth = 30;
const redrawMilliseconds = 100;
const lineMilliseconds = 2_000;

export type Progress = { advance: (count: number) => void; end: () => void };

/** Progress bar that redraws itself on a terminal; otherwise, for example in a log, prints a line periodically. */
export function startProgress(label: string, total: number, output: NodeJS.WriteStream = process.stdout): Progress {
  const startedAt = performance.now();
  const pause = output.isTTY ? redrawMilliseconds : lineMilliseconds;
  let done = 0;
  let writtenAt = startedAt;
  let written = 0;

  function write(): void {
    writtenAt = performance.now();
    written = done;
    const rate = Math.round((done / Math.max(1, writtenAt - startedAt)) * 1000);
    const text = `${label} ${done}/${total} events, ${rate}/s`;
    output.write(output.isTTY ? `\r\u001b[K${bar(done / total)} ${text}` : `${text}\n`);
  }

  return {
    advance(count) {
      done += count;
      if (performance.now() - writtenAt >= pause) write();
    },
    end() {
      if (written < done) write();
      if (output.isTTY) output.write('\n');
    },
  };
}

function bar(share: number): string {
  const filled = Math.round(share * barWidth);
  return `[${'#'.repeat(filled)}${'.'.repeat(barWidth - filled)}]`;
}
