import { ServiceBroker, type ServiceSchema } from 'moleculer';
import gateway from '../../gateway/gateway.service.ts';
import brokerOptions from '../../moleculer.config.ts';
import { nodeService } from '../../runtime/node-service.ts';
import { operator } from '../support/operator-service.ts';

/*
 * Two nodes in a process of their own, `front` with the gateway and `worker` with nothing yet, joined by Moleculer's
 * in-process transporter, so that no server is needed.
 */

async function startNode(nodeID: string, ...schemas: ServiceSchema[]): Promise<void> {
  const broker = new ServiceBroker({ ...brokerOptions(), nodeID, transporter: 'Fake' });
  for (const schema of [nodeService(), ...schemas]) broker.createService(schema);
  await broker.start();
}

await startNode('worker');
await startNode('front', gateway as unknown as ServiceSchema, operator);
