import type { BrokerOptions, ServiceSchema } from 'moleculer';
import { installModuleHooks } from '../../runtime/service-modules.ts';

/**
 * Runs the whole platform in this process, as runtime/start.js does, with one service more. That is read after the
 * hooks are installed, like everything else that they are for.
 */
export async function runPlatformWith(
  readExtra: () => Promise<ServiceSchema>,
  options: Partial<BrokerOptions> = {},
): Promise<void> {
  installModuleHooks();
  const { ServiceBroker } = await import('moleculer');
  const { default: brokerOptions } = await import('../../moleculer.config.ts');
  const { nodeService } = await import('../../runtime/node-service.ts');
  const { chooseServices, readServices } = await import('../../runtime/load-service.ts');
  const { stopOnSignals } = await import('../../runtime/stop.ts');
  const extra = await readExtra();
  const broker = new ServiceBroker({ ...brokerOptions(), ...options });
  stopOnSignals(broker, broker.getLogger('runtime'));
  broker.createService(nodeService());
  for (const schema of await readServices(await chooseServices([]))) broker.createService(schema);
  broker.createService(extra);
  await broker.start();
}
