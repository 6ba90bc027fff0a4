import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Syncs a file, which must be on disk before it is renamed into place. */
export function flushFile(path: string): void {
  flush(path, 'r+');
}

/**
 * Syncs a folder, which makes a new name in it durable. Windows cannot open folders, and makes names durable itself.
 */
export function flushFolder(path: string): void {
  if (process.platform !== 'win32') flush(path, 'r');
}

function flush(path: string, mode: string): void {
  const descriptor = openSync(path, mode);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
