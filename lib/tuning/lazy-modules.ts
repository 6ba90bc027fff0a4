import { createRequire } from 'node:module';
import type * as Moleculer from 'moleculer';

/**
 * Moleculer by `require`; no other file imports it. Its ES module also loads the command-line runner, Lodash and Glob,
 * two megabytes that the platform does not use.
 */
export const moleculer: typeof Moleculer = createRequire(import.meta.url)('moleculer');

export const { Cachers, Errors, Loggers, Serializers, ServiceBroker } = moleculer;
export type ServiceBroker = Moleculer.ServiceBroker;

/**
 * `node:http` without an import: an import evaluates all exports, and the getter of `WebSocket` loads the runtime's
 * fetch, ten megabytes that the platform does not use.
 */
export const http = process.getBuiltinModule('node:http');
