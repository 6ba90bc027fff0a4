export const dataFileName = 'data.db';
/** Suffix of the name of a backup while it is being copied into a folder. */
export const restoringSuffix = '.restoring';
/** Version of the file format, and its version during an index build. */
export const schemaVersion = 1;
export const schemaVersionWithBuilds = 2;
