import { setTimeout as wait } from 'node:timers/promises';

const patienceMilliseconds = 20_000;

/** Waits until the health endpoint of another program answers. */
export async function healthy(name: string, address: string): Promise<void> {
  const deadline = performance.now() + patienceMilliseconds;
  while (performance.now() < deadline) {
    const answer = await fetch(address).catch(() => null);
    if (answer?.ok) return;
    await wait(20);
  }
  throw new Error(`${name} did not start.`);
}
