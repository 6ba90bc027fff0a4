import { createTask } from 'node-cron';

const ticks = createTask('*/15 * * * * *', () => undefined, { timezone: 'UTC' });

/**
 * Calls back at each quarter of a minute by this machine's clock. Returns a function that stops it.
 *
 * Only node-cron's schedule is used, not its timers. After the clock was set back, these pause until the former time is
 * reached again. After a sleep they process each missed tick, which takes a minute of CPU time for a month.
 */
export function onTick(callback: () => void): () => void {
  let timer: NodeJS.Timeout;
  const arm = () => {
    const [next] = ticks.getNextRuns(1);
    const delay = next ? Math.max(0, next.getTime() - Date.now()) : 0;
    timer = setTimeout(() => {
      arm();
      callback();
    }, delay).unref();
  };
  arm();
  return () => clearTimeout(timer);
}
