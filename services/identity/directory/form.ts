/**
 * The version of the keys by which users are found (`search-keys.ts`). With a higher one, a sweep writes the keys of all
 * users again.
 */
export const directoryForm = 1;
