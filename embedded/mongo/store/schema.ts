export const dataFileName = 'data.db';
/** The number of the file's format, and the one it has while indexes are built. */
export const schemaVersion = 1;
export const schemaVersionWithBuilds = 2;
