/**
 * `node:http` without an import: an import evaluates all exports, and the getter of `WebSocket` loads the runtime's
 * fetch, ten megabytes that the platform does not use.
 */
export const http = process.getBuiltinModule('node:http');
