import type { Context } from 'moleculer';
import type { CredentialsChange } from '../../lib/caller.ts';

/**
 * Broadcasts that gateways drop their cache of a credential, or of all credentials of a user or a client. Best effort:
 * a gateway that misses the notification notices the change within a second.
 */
export async function publishCredentialChange(
  ctx: Pick<Context, 'broadcast' | 'broker'>,
  change: CredentialsChange,
): Promise<void> {
  try {
    await ctx.broadcast('identity.credentials.changed', change);
  } catch (error) {
    ctx.broker.logger.warn('Credential change could not be published', { error });
  }
}
