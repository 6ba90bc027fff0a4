import type { AddressInfo } from 'node:net';
import { type Service, ServiceBroker } from 'moleculer';
import { z } from 'zod';
import gateway from '../../gateway/gateway.service.ts';
import type { HttpListener } from '../../http/dispatch.ts';
import type { Caller } from '../../lib/contract/context.ts';
import { defineAction } from '../../lib/contract/define-action.ts';
import { apiError } from '../../lib/contract/errors.ts';
import { newId } from '../../lib/data/ids.ts';
import { newApiKeyToken } from '../../lib/security/api-key.ts';
import brokerOptions from '../../moleculer.config.ts';
import { eventInput } from '../../services/context/ingest/event-input.ts';
import { takeServer } from '../load/job.ts';

export type GatewayAlone = { port: number; apiKey: string; orgId: string };

/**
 * The unmodified gateway with in-memory services: the cost of HTTP, credential, contract and broker without any
 * storage. Its POST /events accepts and parses the same body as the platform's.
 */
async function start(): Promise<GatewayAlone> {
  const caller: Caller = {
    type: 'application',
    id: newId('app'),
    orgId: newId('org'),
    scopes: ['svc:admin'],
    keyId: newId('key'),
  };
  const broker = new ServiceBroker(brokerOptions());
  const front = broker.createService(gateway) as Service & { site: HttpListener };
  broker.createService({
    name: 'identity',
    actions: { 'api-keys.verify': () => ({ caller }), 'me.read': readMeFromMemory() },
  });
  broker.createService({ name: 'context', actions: { 'events.create': acceptInMemory() } });
  await broker.start();
  await broker.waitForServices(['identity', 'context']);
  return {
    port: (front.site.listener.server.address() as AddressInfo).port,
    apiKey: newApiKeyToken(),
    orgId: caller.orgId,
  };
}

function readMeFromMemory() {
  const names = { slug: 'first-app', name: 'First application' };
  return defineAction({
    rest: 'GET /identity/me',
    summary: 'Read whom the credential belongs to, from memory',
    permission: 'console.apps.read',
    input: {},
    output: z.strictObject({
      type: z.string(),
      id: z.string(),
      slug: z.string(),
      name: z.string(),
      orgId: z.string(),
      scopes: z.array(z.string()),
    }),
    handler: ({ caller: { type, id, orgId, scopes } }) => Promise.resolve({ type, id, ...names, orgId, scopes }),
  });
}

function acceptInMemory() {
  const events = new Map<string, unknown>();
  return defineAction({
    rest: 'POST /events',
    summary: 'Accept an event and keep it in memory',
    permission: 'context.events.write',
    tenant: 'required',
    shapeFirst: true,
    input: { body: eventInput },
    output: z.strictObject({ eventId: z.string(), status: z.literal('accepted') }),
    status: 201,
    idempotent: { resume: 'rerun' },
    handler({ body }) {
      if (events.has(body.eventId)) throw apiError('EVENT_ALREADY_SENT');
      events.set(body.eventId, body);
      return Promise.resolve({ eventId: body.eventId, status: 'accepted' as const });
    },
  });
}

takeServer(start);
