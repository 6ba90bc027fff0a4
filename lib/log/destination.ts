import sonicBoom from 'sonic-boom';

const { SonicBoom } = sonicBoom;
type Stream = InstanceType<typeof SonicBoom>;

/** Linux writes at most this much to a pipe atomically, so that lines of several writers do not mix (PIPE_BUF). */
const maxChunkCharacters = 4096;
/** How long a line waits for others to form a batch. */
const flushMilliseconds = 20;
/** The maximum size of the buffer for a reader that has stalled. Further lines are dropped. */
const maxQueuedBytes = 16 * 1024 * 1024;
/** How long an exit waits for a reader that has stalled. */
const exitMilliseconds = 5_000;

export type LogDestination = {
  /** Buffers a whole line. An urgent line flushes the buffer immediately. */
  write: (line: string, urgent: boolean) => void;
  /** Flushes the buffer synchronously; for the exit of the process. */
  flushSync: () => void;
};

/**
 * Writes lines to a file descriptor without blocking the caller, several lines per system call. A slow reader delays no
 * request; a closed one (EPIPE) ends the writing but not the process.
 *
 * @param describeLoss returns the line that reports how many were dropped, written once the buffer has room
 */
export function createLogDestination(fd: number, describeLoss: (droppedLines: number) => string): LogDestination {
  let exitDeadline = Number.POSITIVE_INFINITY;
  const retryEAGAIN = () => performance.now() < exitDeadline;
  const stream = new SonicBoom({ fd, maxLength: maxQueuedBytes, maxWrite: maxChunkCharacters, retryEAGAIN });
  let lines: string[] = [];
  let characters = 0;
  let timer: NodeJS.Timeout | null = null;

  function write(line: string, urgent: boolean): void {
    if (characters + line.length > maxChunkCharacters) flush();
    lines.push(line);
    characters += line.length;
    if (urgent) flush();
    else timer ??= setTimeout(flush, flushMilliseconds).unref();
  }

  const writeBatch = writerTo(stream, (droppedLines) => write(describeLoss(droppedLines), true));

  function flush(): void {
    if (timer) clearTimeout(timer);
    timer = null;
    if (lines.length > 0) writeBatch(lines);
    lines = [];
    characters = 0;
  }

  function flushSync(): void {
    exitDeadline = performance.now() + exitMilliseconds;
    try {
      flush();
      stream.flushSync();
    } catch {
      // The log itself is gone, so the error cannot be reported.
    }
    exitDeadline = Number.POSITIVE_INFINITY;
  }

  return { write, flushSync };
}

/**
 * Writes batches of lines until the reader is gone; counts the lines dropped because the buffer is full, and reports
 * them later.
 */
function writerTo(stream: Stream, reportLoss: (droppedLines: number) => void): (lines: string[]) => void {
  let droppedLines = 0;
  let isClosed = false;
  let isFull = false;
  stream.on('error', (error: NodeJS.ErrnoException) => {
    isClosed ||= error.code === 'EPIPE';
  });
  stream.on('drop', () => {
    isFull = true;
  });
  stream.on('drain', () => {
    if (droppedLines === 0) return;
    const dropped = droppedLines;
    droppedLines = 0;
    reportLoss(dropped);
  });
  return (lines) => {
    if (isClosed) return;
    isFull = false;
    stream.write(lines.join(''));
    if (isFull) droppedLines += lines.length;
  };
}
