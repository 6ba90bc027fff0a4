import type { WidgetOptions } from './protocol.ts';

/** A visitor's token is kept in the storage of the host page: browsers may clear the storage of a third-party frame. */
function storageKey({ tenantId, siteId = '' }: WidgetOptions): string {
  return `connect-widget:${tenantId}:${siteId}`;
}

/** Tokens where storage is forbidden; kept as long as the page is open. */
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
    // The token is kept in memory.
  }
}
