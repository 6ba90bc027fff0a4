import type { ServiceBroker } from 'moleculer';
import { type RegisteredService, registeredServices } from '../lib/declarations.ts';

type NodesOfVersion = Map<string, string[]>;

/** Lists the code version of a service on each node of the pool, in one sentence. */
export function describeVersions(broker: ServiceBroker, service: string): string {
  const versions = versionsOf(availableServices(broker).filter(({ name }) => name === service));
  const parts = [...versions].map(([version, nodes]) => `${version} on ${nodes.join(', ')}`);
  if (parts.length === 1) return `It runs in version ${parts[0]}.`;
  return `Nodes run different versions of it: ${parts.join('; ')}.`;
}

/** Lists the code versions of all services, a line for each; see {@link describeVersions}. */
export function describeAllVersions(broker: ServiceBroker): string {
  const byName = Map.groupBy(availableServices(broker), ({ name }) => name);
  const names = [...byName.keys()].filter((name) => name !== 'node').sort();
  const lines = names.map((name) => {
    const versions = versionsOf(byName.get(name) ?? []);
    const parts = [...versions].map(([version, nodes]) => `${version} on ${nodes.join(', ')}`);
    return `${name}: ${parts.join('; ')}${parts.length > 1 ? ' (DIFFERENT CODE)' : ''}`;
  });
  return lines.join('\n');
}

function availableServices(broker: ServiceBroker): RegisteredService[] {
  return registeredServices(broker).filter(({ available }) => available);
}

function versionsOf(services: RegisteredService[]): NodesOfVersion {
  const versions: NodesOfVersion = new Map();
  for (const { nodeID, metadata } of services) {
    const version = metadata.codeVersion ?? 'unknown';
    versions.set(version, [...(versions.get(version) ?? []), nodeID].sort());
  }
  return new Map([...versions].sort());
}
