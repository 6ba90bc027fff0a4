/**
 * `node:http`, which no file imports itself: an import evaluates all exports, and the getter of `WebSocket` loads the
 * runtime's fetch, 13 MB and a tenth of a start's time for what the platform does not use.
 */
export const http = process.getBuiltinModule('node:http');
