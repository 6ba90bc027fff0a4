import { createTask } from 'node-cron';

const ticks = createTask('*/15 * * * * *', () => undefined, { timezone: 'UTC' });

/**
 * Calls back at each quarter of a minute, by this machine's clock, until the function that it gives is called.
 *
 * node-cron says when; its own timers are not used. After a clock was put back they wait until it is there again, and
 * after a sleep they go through every tick that was missed, one by one: a minute of the processor for a month.
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
