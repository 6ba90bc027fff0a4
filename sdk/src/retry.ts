import { PlatformError } from './errors.ts';

const firstDelay = 200;
const maxDelay = 20_000;
/** A platform that requests a longer delay, in milliseconds, is not awaited. */
const maxRetryAfter = 60_000;

export type Retries = {
  maxAttempts: number;
  /** Whether an attempt without an answer may be repeated, because it cannot take effect twice. */
  isRepeatable: boolean;
  signal?: AbortSignal | undefined;
};

/** Runs `attempt` until it succeeds or fails permanently, at most `maxAttempts` times. */
export async function withRetries<T>(retries: Retries, attempt: () => Promise<T>): Promise<T> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (failures >= retries.maxAttempts || !mayRetry(error, retries.isRepeatable)) throw error;
      await pause((error.retryAfter ?? 0) + backoff(failures), retries.signal);
    }
  }
}

/** A rejected request (429) took no effect, and a running operation (409) will have an answer. */
function mayRetry(error: unknown, isRepeatable: boolean): error is PlatformError {
  if (!(error instanceof PlatformError) || (error.retryAfter ?? 0) > maxRetryAfter) return false;
  if (error.status === 429 || error.code === 'IDEMPOTENCY_IN_PROGRESS') return true;
  return isRepeatable && isTransient(error.status);
}

/** Whether a failure may pass; 0 is the status of a failure without a response. */
export function isTransient(status: number): boolean {
  return [0, 408, 429, 500, 502, 503, 504].includes(status);
}

/**
 * Exponential backoff with full jitter, in milliseconds: clients that failed together do not retry together.
 */
export function backoff(failures: number): number {
  return Math.random() * Math.min(maxDelay, firstDelay * 2 ** (failures - 1));
}

/** Waits; rejects with the reason of the signal when that aborts. */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', abort, { once: true });
  });
}

/**
 * Runs an exchange with a signal that aborts with the caller's, or after `timeout` milliseconds, if that is not 0. A
 * failure of the connection becomes a {@link PlatformError}; the caller's own abortion is thrown as it is.
 */
export async function withTimeout<T>(
  { timeout, signal }: { timeout: number; signal?: AbortSignal | undefined },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const timer = new AbortController();
  const running = timeout > 0 ? setTimeout(() => timer.abort(), timeout) : undefined;
  try {
    return await work(signal ? AbortSignal.any([signal, timer.signal]) : timer.signal);
  } catch (cause) {
    if (cause instanceof PlatformError) throw cause;
    signal?.throwIfAborted();
    if (timer.signal.aborted) {
      throw new PlatformError(`There was no answer within ${timeout} ms.`, { status: 0, code: 'TIMEOUT' }, { cause });
    }
    throw new PlatformError('The connection failed.', { status: 0, code: 'CONNECTION_FAILED' }, { cause });
  } finally {
    clearTimeout(running);
  }
}
