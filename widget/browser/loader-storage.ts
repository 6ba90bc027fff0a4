import type { WidgetOptions } from './protocol.ts';

/** The token of a visitor is kept in the storage of the host page: that of a frame of another site may not last. */
function storageKey({ tenantId, siteId = '' }: WidgetOptions): string {
  return `connect-widget:${tenantId}:${siteId}`;
}

/** Tokens where storage is forbidden; they last as long as the page. */
const memory = new Map<string, string>();

export function readToken(options: WidgetOptions): string | null {
  const key = storageKey(options);
  try {
    return localStorage.getItem(key) ?? memory.get(key) ?? null;
  } catch {
    return memory.get(key) ?? null;
  }
}

export function keepToken(options: WidgetOptions, token: string | null): void {
  const key = storageKey(options);
  memory.delete(key);
  if (token !== null) memory.set(key, token);
  try {
    if (token === null) localStorage.removeItem(key);
    else localStorage.setItem(key, token);
  } catch {
    // It is in memory.
  }
}
