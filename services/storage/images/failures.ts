import { minute } from '../../../lib/clock.ts';
import type { TransformError } from './transform-error.ts';

const rememberedFor = minute;
const maxFailures = 1000;

const failures = new Map<string, { error: TransformError; until: number }>();

/** Caches for a minute that an image cannot be transformed, so that repeated requests cost no process time. */
export function rememberFailure(id: string, error: TransformError): void {
  if (error.reason === 'busy') return;
  failures.delete(id);
  failures.set(id, { error, until: performance.now() + rememberedFor });
  const [oldest] = failures.keys();
  if (failures.size > maxFailures && oldest !== undefined) failures.delete(oldest);
}

/** Throws the cached failure, if any. */
export function recallFailure(id: string): void {
  const failure = failures.get(id);
  if (!failure) return;
  if (failure.until > performance.now()) throw failure.error;
  failures.delete(id);
}
