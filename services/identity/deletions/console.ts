import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { registeredErasures } from '../../../lib/declarations.ts';
import { type DeletionDocument, DeletionModel } from '../../../models/identity/deletion.ts';
import { allErasures, removeErasureHandler } from './erasures.ts';

const output = z.strictObject({ lines: z.array(z.string()) });
const maxShown = 100;

/** `identity.console.erasures`: the services that erase organizations, and deletions that are not complete. */
const describeErasures = defineAction({
  summary: 'List the services that erase organizations',
  permission: 'internal',
  input: { body: z.strictObject({}) },
  output,
  async handler({ ctx: { broker } }) {
    const registered = registeredErasures(broker);
    const services = [...(await allErasures(broker))].sort();
    const deletions = await DeletionModel.find({ kind: 'organization', isRepetition: false }, null, {
      acrossTenants: true,
    })
      .sort({ createdAt: 1 })
      .limit(maxShown)
      .lean<DeletionDocument[]>();
    return {
      lines: [
        ...services.map(([name, action]) => `${name}.${action}${registered.has(name) ? '' : ' (ABSENT)'}`),
        ...deletions.map(({ orgId, createdAt, completedSteps }) => {
          const open = services.filter(([name]) => !completedSteps.includes(`erase:${name}`)).map(([name]) => name);
          return `${orgId}, deleted at ${createdAt.toISOString()}, waits for: ${open.join(', ') || 'nothing'}`;
        }),
      ],
    };
  },
});

/** `identity.console.forget-erasure`: deletions no longer wait for a service that was removed permanently. */
const forget = defineAction({
  summary: 'Forget a service that erased organizations',
  permission: 'internal',
  input: { body: z.strictObject({ service: z.string() }) },
  output,
  async handler({ body: { service }, ctx: { broker } }) {
    if (await removeErasureHandler(broker, service)) return { lines: [`Deletions no longer wait for ${service}.`] };
    const isRunning = registeredErasures(broker).has(service);
    return { lines: [isRunning ? `${service} is running: unload it first.` : `Unknown service ${service}.`] };
  },
});

export const deletionConsoleActions = { 'console.erasures': describeErasures, 'console.forget-erasure': forget };

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.console.erasures': typeof describeErasures;
    'identity.console.forget-erasure': typeof forget;
  }
}
