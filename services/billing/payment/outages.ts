import { minute, second } from '../../../lib/clock.ts';
import { apiError } from '../../../lib/errors.ts';
import type { PaymentProvider } from './provider.ts';

/** The number of consecutive outages that opens the circuit. */
const threshold = 3;
const firstPause = 5 * second;
const maxPause = 5 * minute;
/** Missing settings do not appear within seconds. */
const retryUnconfigured = minute;

type Call = <T>(request: () => Promise<T>, isOutage: (error: unknown) => boolean) => Promise<T>;

/**
 * A circuit breaker of one provider in this process. While it is open, calls fail immediately instead of waiting for
 * their timeouts, so that calls to other providers and of other organizations do not queue behind them. After a pause
 * one trial call closes the circuit or doubles the pause.
 */
export function createBreaker(clock: () => number = () => performance.now()): Call {
  let outages = 0;
  let openUntil = 0;
  return async (request, isOutage) => {
    const at = clock();
    if (at < openUntil) throw unavailable(openUntil - at);
    // Other calls fail until the outcome of the trial call is known.
    if (outages >= threshold) openUntil = at + pauseAfter(outages);
    try {
      const answer = await request();
      [outages, openUntil] = [0, 0];
      return answer;
    } catch (error) {
      if (!isOutage(error)) {
        [outages, openUntil] = [0, 0];
        throw error;
      }
      outages += 1;
      if (outages >= threshold) openUntil = clock() + pauseAfter(outages);
      throw unavailable(outages >= threshold ? pauseAfter(outages) : firstPause, error);
    }
  };
}

/**
 * Wraps a provider so that its outages are answered with 503 and open a circuit breaker. A provider that makes no
 * remote calls is returned as it is.
 */
export function withBreaker(provider: PaymentProvider, call: Call = createBreaker()): PaymentProvider {
  const { isOutage, refund, forget } = provider;
  if (!isOutage) return provider;
  const guarded =
    <A extends unknown[], R>(method: (...parameters: A) => Promise<R>) =>
    (...parameters: A): Promise<R> =>
      call(() => method(...parameters), isOutage);
  return {
    ...provider,
    openCheckout: guarded(provider.openCheckout),
    closeCheckout: guarded(provider.closeCheckout),
    upgrade: guarded(provider.upgrade),
    charge: guarded(provider.charge),
    cancelAtPeriodEnd: guarded(provider.cancelAtPeriodEnd),
    resume: guarded(provider.resume),
    changePlan: guarded(provider.changePlan),
    end: guarded(provider.end),
    read: guarded(provider.read),
    interpret: guarded(provider.interpret),
    ...(refund && { refund: guarded(refund) }),
    ...(forget && { forget: guarded(forget) }),
  };
}

/** The refusal where this platform lacks the settings for a provider that has subscriptions or payments. */
export function unconfigured(name: string, cause: unknown): Error {
  const message = `The payment provider ${name} is not configured here at present.`;
  return apiError('UNAVAILABLE', { message, cause, headers: { 'Retry-After': seconds(retryUnconfigured) } });
}

function unavailable(milliseconds: number, cause?: unknown): Error {
  const message = 'The payment provider cannot be reached at present.';
  return apiError('UNAVAILABLE', { message, cause, headers: { 'Retry-After': seconds(milliseconds) } });
}

const pauseAfter = (outages: number): number => Math.min(firstPause * 2 ** (outages - threshold), maxPause);

const seconds = (milliseconds: number): string => String(Math.max(1, Math.ceil(milliseconds / second)));
