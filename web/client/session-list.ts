/** Reads a list from session storage; empty when there is none. */
export function restore<T>(key: string): T[] {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? '[]') as T[];
  } catch {
    // Storage may be forbidden: the list is then only kept in memory.
    return [];
  }
}

export function keep<T>(key: string, list: T[]): void {
  try {
    if (list.length === 0) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, JSON.stringify(list));
  } catch {
    // As above.
  }
}
