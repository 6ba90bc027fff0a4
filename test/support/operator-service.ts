import type { ServiceSchema } from 'moleculer';
import { z } from 'zod';
import { defineAction } from '../../lib/contract/define-action.ts';
import { executeOn } from '../../runtime/operator/execute.ts';

const control = z.strictObject({
  action: z.enum(['load', 'unload', 'versions', 'run-job', 'erasures', 'forget-erasure', 'type']),
  node: z.string(),
  params: z.looseObject({}),
});

/** The two that are identity's, as the console calls them. */
const ofIdentity = ['erasures', 'forget-erasure'];

/** Brings the control actions of a node to HTTP for tests, which the platform never does. */
export const operator: ServiceSchema = {
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
          if (action === 'type') {
            const reply = await executeOn(ctx.broker)({ line: String(params.line), as: null, isConfirmed: false });
            return { said: JSON.stringify(reply), refused: reply.kind === 'failed' };
          }
          if (ofIdentity.includes(action)) {
            const { lines } = await ctx.call<{ lines: string[] }, object>(`identity.console.${action}`, {
              body: params,
            });
            return { said: lines.join('\n'), refused: false };
          }
          return { said: await ctx.call<string, object>(`node.${action}`, params, { nodeID: node }), refused: false };
        } catch (error) {
          const { type, message } = error as Error & { type?: string };
          return { said: message, refused: type === 'CONTROL_REFUSED' };
        }
      },
    }),
  },
};
