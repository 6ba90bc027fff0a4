import { apiError } from '../../../lib/errors.ts';

const parts = 10;

/**
 * The result of a promise, or UNAVAILABLE after so many milliseconds; the work behind it may continue. The time is waited
 * for in parts, between which answers are read: after a pause of the whole process its timers fire first, and one timer
 * would take for late what has been answered meanwhile.
 */
export async function withTimeout<T>(milliseconds: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const cause = new Error(`Not within ${milliseconds} ms.`);
    const wait = (left: number): void => {
      timer = setTimeout(
        () => (left > 1 ? wait(left - 1) : reject(apiError('UNAVAILABLE', { cause }))),
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
