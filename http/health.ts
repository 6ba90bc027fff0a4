import type { ServiceBroker } from 'moleculer';
import { settings } from '../lib/settings.ts';

const askMilliseconds = 1000;
const reuseMilliseconds = 250;
/** What is missing is asked for again soon: who waits for a start learns of its end. */
const reuseOfRefusalMilliseconds = 25;

type Answer = { missing: Promise<string[]>; until: number };

const answers = new WeakMap<ServiceBroker, Answer>();

/**
 * What the platform lacks to answer requests, by name: what this node itself lacks (`nats`, `database`, …), and each
 * required service that no node offers or whose nodes all lack something. Empty when the platform is ready.
 */
export function readiness(broker: ServiceBroker): Promise<string[]> {
  const known = answers.get(broker);
  const instant = performance.now();
  if (known && instant < known.until) return known.missing;
  const answer: Answer = { missing: findMissing(broker), until: instant + reuseMilliseconds };
  answers.set(broker, answer);
  void answer.missing.then(({ length }) => {
    if (length > 0) answer.until = performance.now() + reuseOfRefusalMilliseconds;
  });
  return answer.missing;
}

async function findMissing(broker: ServiceBroker): Promise<string[]> {
  const own = await ask(broker, broker.nodeID);
  const others = await Promise.all(settings.REQUIRED_SERVICES.map((name) => lacking(broker, name, own)));
  return [...new Set([...own, ...others.flat()])];
}

/** A service is there when one node that offers it is ready; else its name, and what its nodes lack. */
async function lacking(broker: ServiceBroker, service: string, own: string[]): Promise<string[]> {
  const nodes = nodesOffering(broker, service);
  // The reasons of this node are reported already, and do not count as a missing service.
  if (nodes.includes(broker.nodeID)) return [];
  const lacks = await Promise.all(nodes.map((node) => ask(broker, node)));
  if (lacks.some((list) => list.length === 0)) return [];
  return [service, ...lacks.flat().filter((name) => own.length === 0 || own.includes(name))];
}

async function ask(broker: ServiceBroker, nodeID: string): Promise<string[]> {
  try {
    return await broker.call<string[], object>('node.readiness', {}, { nodeID, timeout: askMilliseconds });
  } catch {
    return ['unreachable'];
  }
}

type Listed = { name: string; nodeID: string };

function nodesOffering(broker: ServiceBroker, service: string): string[] {
  const services = broker.registry.getServiceList({ onlyAvailable: true }) as Listed[];
  return services.filter(({ name }) => name === service).map(({ nodeID }) => nodeID);
}
