import type { ServiceBroker } from 'moleculer';
import { call } from '../lib/contract/context.ts';
import { declarePermissions, platformPermission } from '../lib/contract/permissions.ts';

const pause = 500;

/**
 * Registers, on a starting node, the stored permissions of absent services, as soon as the access service answers. The
 * declarations of registered services come from the registry and take precedence.
 */
export function registerPermissionsOfAbsentServices(broker: ServiceBroker): () => void {
  const stopping = new AbortController();
  void queryUntilAnswered(broker, stopping.signal);
  return () => stopping.abort();
}

async function queryUntilAnswered(broker: ServiceBroker, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const answer = await ask(broker);
    if (answer) {
      const unknown = answer.permissions.filter(({ key }) => !platformPermission(key));
      for (const { key, reads, description } of unknown) declarePermissions({ [key]: { reads, description } });
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, pause).unref());
  }
}

async function ask(broker: ServiceBroker) {
  if (!broker.registry.actions.isAvailable('access.permissions.declared')) return null;
  return await call(broker as never, 'access.permissions.declared', {}).catch(() => null);
}
