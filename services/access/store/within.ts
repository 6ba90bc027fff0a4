import { fail } from '../../../lib/errors.ts';

/** The result of a promise, or UNAVAILABLE after so many milliseconds; the work behind it may continue. */
export async function within<T>(milliseconds: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const cause = new Error(`Not within ${milliseconds} ms.`);
    timer = setTimeout(() => reject(fail('UNAVAILABLE', { cause })), milliseconds);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
