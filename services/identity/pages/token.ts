import type { Query } from '../../../web/define-page.ts';

const maxTokenLength = 200;

/** The token of a mailed link; null when it is missing or malformed. */
export function tokenOf({ token }: Query): string | null {
  if (typeof token !== 'string' || token.length > maxTokenLength) return null;
  return /^[A-Za-z0-9_-]+$/.test(token) ? token : null;
}
