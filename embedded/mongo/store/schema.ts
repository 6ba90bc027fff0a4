export const dataFileName = 'data.db';
/** Follows the name of a backup that is copied into a folder, until all of it is there. */
export const restoringSuffix = '.restoring';
/** The number of the file's format, and the one it has while indexes are built. */
export const schemaVersion = 1;
export const schemaVersionWithBuilds = 2;
