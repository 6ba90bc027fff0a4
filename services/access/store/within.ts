import { apiError } from '../../../lib/errors.ts';

const parts = 10;

/**
 * Returns the result of a promise, or throws UNAVAILABLE after `milliseconds`; the work itself is not cancelled. The
 * wait is split into parts, between which sockets are read: after a pause of the whole process its timers fire first,
 * and a single timer would expire although the answer has already arrived.
 */
export async function withTimeout<T>(milliseconds: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const cause = new Error(`Timeout after ${milliseconds} ms.`);
    const wait = (remaining: number): void => {
      timer = setTimeout(
        () => (remaining > 1 ? wait(remaining - 1) : reject(apiError('UNAVAILABLE', { cause }))),
        milliseconds / parts,
      );
    };
    wait(parts);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
