import { expect, test } from '@jest/globals';
import { ServiceBroker } from 'moleculer';
import { isLastKnownSuspended, requireInForce, standingEvents } from '../../../lib/clients/organizations.ts';
import type { CallContext } from '../../../lib/contract/context.ts';
import { apiError, errorCode } from '../../../lib/contract/errors.ts';
import { newId } from '../../../lib/data/ids.ts';
import { deferWhileSuspended } from '../../../messaging/delivery/suspension.ts';

/** An identity that answers what it is set to, or is not there. */
function identityOf(answers: { isSuspended: boolean | 'absent' }) {
  let calls = 0;
  const call = () => {
    calls += 1;
    if (answers.isSuspended === 'absent') return Promise.reject(apiError('UNAVAILABLE'));
    return Promise.resolve({ isSuspended: answers.isSuspended });
  };
  return { ctx: { call } as unknown as CallContext, calls: () => calls };
}

/** As a node does when identity has published a suspension or its end. */
function publish(orgId: string): void {
  const handler = standingEvents['identity.credentials.changed'] as (ctx: { params: object }) => void;
  handler({ params: { orgId } });
}

const refusal = (work: Promise<void>) => work.then(() => null, errorCode);

test('what is served without a credential is refused from the notification of a suspension to that of its end', async () => {
  const [orgId, answers] = [newId('org'), { isSuspended: false as boolean | 'absent' }];
  const { ctx, calls } = identityOf(answers);
  expect(await refusal(requireInForce(ctx, orgId))).toBeNull();
  answers.isSuspended = true;
  expect(await refusal(requireInForce(ctx, orgId))).toBeNull();
  expect(calls()).toBe(1);
  publish(orgId);
  expect(await refusal(requireInForce(ctx, orgId))).toBe('ORGANIZATION_SUSPENDED');
  answers.isSuspended = false;
  publish(orgId);
  expect(await refusal(requireInForce(ctx, orgId))).toBeNull();
  publish(newId('org'));
  expect(await refusal(requireInForce(ctx, orgId))).toBeNull();
  expect(calls()).toBe(3);
});

test('without identity visitors and signed URLs wait, and public files follow the last known answer', async () => {
  const [orgId, answers] = [newId('org'), { isSuspended: 'absent' as boolean | 'absent' }];
  const { ctx } = identityOf(answers);
  expect(await refusal(requireInForce(ctx, orgId))).toBe('UNAVAILABLE');
  expect(await isLastKnownSuspended(ctx, orgId)).toBe(false);
  answers.isSuspended = true;
  expect(await isLastKnownSuspended(ctx, orgId)).toBe(true);
  answers.isSuspended = 'absent';
  publish(orgId);
  expect(await isLastKnownSuspended(ctx, orgId)).toBe(true);
  answers.isSuspended = false;
  expect(await isLastKnownSuspended(ctx, orgId)).toBe(false);
});

test('a pool without identity counts as no answer', async () => {
  const broker = new ServiceBroker({ logger: false });
  await broker.start();
  expect(await isLastKnownSuspended(broker as unknown as CallContext, newId('org'))).toBe(false);
  await broker.stop();
});

test('a delivery is deferred while its organization is suspended', async () => {
  const { ctx } = identityOf({ isSuspended: true });
  await expect(deferWhileSuspended(ctx, newId('org'))).rejects.toMatchObject({ failure: 'deferred' });
  await expect(deferWhileSuspended(identityOf({ isSuspended: false }).ctx, newId('org'))).resolves.toBeUndefined();
});
