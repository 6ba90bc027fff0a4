import { installModuleHooks } from '../../runtime/service-modules.ts';

/* An entry as runtime/start.ts is one: the whole platform in one process, and its control actions over HTTP. */
installModuleHooks();
const { ServiceBroker } = await import('moleculer');
const { default: brokerOptions } = await import('../../moleculer.config.ts');
const { nodeService } = await import('../../runtime/node-service.ts');
const { chooseServices, readService } = await import('../../runtime/services.ts');
const { stopOnSignals } = await import('../../runtime/stop.ts');
const { operator } = await import('./operator-service.ts');

const broker = new ServiceBroker({ ...brokerOptions(), nodeID: 'node-1' });
stopOnSignals(broker, broker.getLogger('runtime'));
broker.createService(nodeService());
for (const file of await chooseServices([])) broker.createService(await readService(file));
broker.createService(operator);
await broker.start();
