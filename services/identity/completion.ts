import type { Service, ServiceBroker, ServiceSchema } from 'moleculer';
import type { Ctx } from '../../lib/contract/context.ts';
import { cron, everyMinutes } from '../../mixins/cron/cron.ts';
import { sweepJoins } from './accept-invitation.ts';
import { sweepUnfinishedInitializations } from './create-organization.ts';
import { sweepDeletedUsers } from './delete-user.ts';
import { sweepDeletions } from './deletions.ts';
import { sweepDirectories } from './directory/directory.ts';
import { sweepInvitations } from './invitations.ts';
import { persistErasureHandlers } from './operator.ts';

/**
 * Completes changes of several documents that a crash interrupted: deletions, organizations without an owner yet,
 * accepted invitations, directories. Runs at the start of the process, and then every minute.
 */
export function resumeUnfinishedDeletions(): Partial<ServiceSchema> {
  return {
    events: {
      async '$services.changed'(this: Service) {
        await persistErasureHandlers(this.broker).catch((error) =>
          this.logger.warn('Erasure handlers could not be stored; the next sweep will retry', error),
        );
      },
      async '$broker.started'(this: Service) {
        await sweep(this.broker).catch((error) =>
          this.logger.warn('Interrupted changes could not be completed; will retry', error),
        );
      },
    },
    mixins: [
      cron((broker) => ({
        name: 'identity.completion',
        period: everyMinutes(1),
        run: (_period, signal) => sweep(broker, signal),
      })),
    ],
  };
}

/** A failure does not delay the others, and makes the run fail in the end. */
async function sweep(broker: ServiceBroker, signal?: AbortSignal): Promise<void> {
  const ctx = broker.ContextFactory.create(broker) as Ctx;
  const sweeps = [
    persistErasureHandlers(broker),
    sweepUnfinishedInitializations(ctx),
    sweepJoins(ctx),
    sweepInvitations(signal),
    sweepDeletions(ctx, signal),
    sweepDeletedUsers(ctx, signal),
    sweepDirectories(ctx, signal),
  ];
  const failed = (await Promise.allSettled(sweeps)).find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}
