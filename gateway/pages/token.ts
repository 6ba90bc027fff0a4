import type { Query } from '../exchange.ts';

const maxTokenLength = 200;

/** The token that a mailed link carries; null when it has none that could ever be one. */
export function tokenOf({ token }: Query): string | null {
  if (typeof token !== 'string' || token.length > maxTokenLength) return null;
  return /^[A-Za-z0-9_-]+$/.test(token) ? token : null;
}
