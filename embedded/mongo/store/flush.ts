import { closeSync, fsyncSync, openSync } from 'node:fs';

/** What is renamed into place must be on disk before its name is. */
export function flushFile(path: string): void {
  flush(path, 'r+');
}

/** A new name in a folder is on disk when the folder is. Windows opens no folders, and keeps names by itself. */
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
