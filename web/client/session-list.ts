/** A list that survives a reload of the page; empty where there is none. */
export function restore<T>(key: string): T[] {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? '[]') as T[];
  } catch {
    // Storage may be forbidden: the list is then in memory alone.
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
