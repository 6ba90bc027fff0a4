import { createRequire } from 'node:module';
import type * as Moleculer from 'moleculer';

/**
 * Moleculer, which the platform's files do not import themselves: its ES module loads what starts a node from the command
 * line, and Lodash and Glob for it a second time, two megabytes that the platform does not use.
 */
export const moleculer: typeof Moleculer = createRequire(import.meta.url)('moleculer');

export const { Cachers, Errors, Loggers, Serializers, ServiceBroker } = moleculer;
export type ServiceBroker = Moleculer.ServiceBroker;
