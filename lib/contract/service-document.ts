import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { once } from '../concurrency/once.ts';
import { type Contract, dataOf } from './contract.ts';

/** The parts of a contract that only the API document needs: most of it. */
type ActionDocument = Pick<Contract, 'input' | 'output' | 'example'>;
type ServiceDocument = Record<string, ActionDocument>;
type Actions = Record<string, { rest?: unknown; contract?: Contract } | undefined>;

/**
 * The document of a service in its `metadata`: on other nodes a text, the deflated parts of the contracts of its actions
 * with a route. All services of a node share one message, of which NATS takes a MiB. It is created when it is first
 * sent.
 */
export type PackedDocument = string | { toJSON: () => string };

export function packDocument(service: string, actions: Actions): PackedDocument {
  return { toJSON: once(() => deflateRawSync(JSON.stringify(documentOf(service, actions))).toString('base64')) };
}

function documentOf(service: string, actions: Actions): ServiceDocument {
  const documents = Object.entries(actions).flatMap(([name, action]): [string, ActionDocument][] => {
    // Pages and actions for other services are not in the API document.
    if (!action?.contract || !action.rest || action.contract.answers === 'html') return [];
    const { input, output, example } = action.contract;
    const parts = Object.entries(input).map(([part, schema]) => [part, dataOf(schema)]);
    const schemas = { input: Object.fromEntries(parts), output: dataOf(output) ?? null };
    return [[`${service}.${name}`, { ...schemas, example: dataOf(example) ?? null }]];
  });
  return Object.fromEntries(documents);
}

/**
 * Completes the contracts of the listed actions of other nodes by the documents of their services. While nodes of two
 * versions run, the first document that has an action counts.
 */
export function completeContracts<A extends { action?: { name: string; contract?: Contract } }>(
  listed: A[],
  services: { metadata?: { document?: PackedDocument } }[],
): A[] {
  const packed = new Set(services.map(({ metadata }) => metadata?.document));
  const documents = new Map<string, ActionDocument>();
  for (const document of packed) {
    if (typeof document !== 'string') continue;
    for (const [name, parts] of Object.entries(unpack(document))) if (!documents.has(name)) documents.set(name, parts);
  }
  return listed.map((entry) => {
    const { action } = entry;
    const document = action && documents.get(action.name);
    return action?.contract && document
      ? { ...entry, action: { ...action, contract: { ...action.contract, ...document } } }
      : entry;
  });
}

const maxBytes = 64 * 1024 * 1024;

const unpack = (document: string): ServiceDocument =>
  JSON.parse(inflateRawSync(Buffer.from(document, 'base64'), { maxOutputLength: maxBytes }).toString());
