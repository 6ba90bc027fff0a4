import { ServiceBroker, type ServiceSchema } from 'moleculer';
import { z } from 'zod';
import gateway from '../../gateway/gateway.service.ts';
import { defineAction } from '../../lib/action.ts';
import brokerOptions from '../../moleculer.config.ts';
import { nodeService } from '../../runtime/node-service.ts';

/*
 * An entry as runtime/start.ts is one: two nodes in a process of their own, `front` with the gateway and `worker` with
 * nothing yet, joined by Moleculer's in-process transporter, so that no server is needed. A service of the test's
 * brings the control actions of a node to HTTP, which the platform never does.
 */

const control = z.strictObject({ action: z.enum(['load', 'unload']), node: z.string(), params: z.looseObject({}) });

const operator: ServiceSchema = {
  name: 'operator',
  actions: {
    control: defineAction({
      rest: 'POST /operator',
      summary: 'Call a control action of a node',
      permission: 'public',
      input: { body: control },
      output: z.strictObject({ said: z.string(), refused: z.boolean() }),
      async handler({ body: { action, node, params }, ctx }) {
        try {
          return { said: await ctx.call<string, object>(`node.${action}`, params, { nodeID: node }), refused: false };
        } catch (error) {
          const { type, message } = error as Error & { type?: string };
          return { said: message, refused: type === 'CONTROL_REFUSED' };
        }
      },
    }),
  },
};

async function startNode(nodeID: string, ...schemas: ServiceSchema[]): Promise<void> {
  const broker = new ServiceBroker({ ...brokerOptions(), nodeID, transporter: 'Fake' });
  for (const schema of [nodeService(), ...schemas]) broker.createService(schema);
  await broker.start();
}

await startNode('worker');
await startNode('front', gateway as unknown as ServiceSchema, operator);
