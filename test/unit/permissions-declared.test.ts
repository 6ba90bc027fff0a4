import { beforeAll, describe, expect, test } from '@jest/globals';
import { ServiceBroker, type ServiceSchema } from 'moleculer';
import type { Action } from '../../lib/contract/define-action.ts';
import { systemPermissions } from '../../lib/contract/permissions.ts';
import { findServices, readService } from '../../runtime/load-service.ts';
import { nodeService } from '../../runtime/node-service.ts';

/** What any action may declare beside a permission of an organization's. */
const kinds = ['authenticated', 'user', 'session', 'operator', 'public', 'internal'];

/** Actions without a contract, which the gateway therefore never serves, and what they are for. */
const withoutContract: Record<string, string> = {
  'node.readiness': 'operators see by it what a node lacks, from the console of a node',
  'node.load': 'operators load services by it, from the console of a node',
  'node.unload': 'operators unload services by it, from the console of a node',
  'node.versions': 'operators see by it which code each node runs, from the console of a node',
  'node.jobs': 'operators list scheduled work by it, from the console of a node',
  'node.describe': 'operators see by it how long each node runs, on the page of nodes',
  'node.database-operations': 'operators see by it what the database works on, from a console without a connection',
  'node.kill-operation': 'operators end an operation of the database by it, from a console without a connection',
  'node.run-job': 'operators have scheduled work done by it, from the console of a node',
};

/** Actions that need a caller and have no route, and who calls them for that caller. */
const calledInside: Record<string, string> = {
  'access.callers.scopes': 'identity asks for it before it makes a credential that outlives the request',
  'identity.accounts.confirm-contact': 'the page behind the mailed link confirms by it',
  'identity.accounts.preview-contact-confirmation': 'the page behind the mailed link shows by it what is confirmed',
};

/** Endpoints that anybody may call without a credential; pages are none. */
const publicActions: string[] = [
  'billing.plans.list',
  'billing.webhooks.receive',
  // A visitor's token is in the header, and no credential of the platform.
  'connect.widget.create-attachment',
  'connect.widget.create-message',
  'connect.widget.create-session',
  'connect.widget.list-conversations',
  'connect.widget.list-messages',
  'connect.widget.read-attachment',
  'connect.widget.read-site',
  'connect.widget.read-up-to',
  'connect.widget.stream',
  'connect.widget.typing',
  'identity.logo.read',
  'mail.feedback.postmark',
  'mail.feedback.receive',
  'mail.feedback.ses',
  'storage.objects.read-public',
];

type Declared = Partial<Action> & { visibility?: string };
const declared = new Map<string, Declared>();
/** The permissions that services declare themselves. */
const ofServices: string[] = [];

beforeAll(async () => {
  const schemas = await Promise.all([...(await findServices()).values()].map((file) => readService(file)));
  const broker = new ServiceBroker({ logger: false });
  const merger = new broker.ServiceFactory(broker) as unknown as {
    applyMixins: (schema: ServiceSchema) => ServiceSchema;
  };
  for (const schema of [nodeService(), ...schemas]) {
    // With what the mixins bring; false is one of theirs that the service does not have.
    const { name, actions = {}, metadata = {} } = schema.mixins ? merger.applyMixins(schema) : schema;
    ofServices.push(...Object.keys(metadata.permissions ?? {}));
    for (const [short, action] of Object.entries(actions)) {
      if (action) declared.set(`${name}.${short}`, action as Declared);
    }
  }
});

const namesOf = (condition: (action: Declared) => boolean): string[] =>
  [...declared].flatMap(([name, action]) => (condition(action) ? [name] : [])).sort();

describe('every action of every service', () => {
  test('declares its permission, but for those that no contract serves', () => {
    expect(declared.size).toBeGreaterThan(100);
    expect(namesOf(({ contract }) => contract === undefined)).toEqual(Object.keys(withoutContract).sort());
    const known = [...Object.keys(systemPermissions), ...ofServices, ...kinds];
    expect(namesOf(({ contract }) => contract !== undefined && !known.includes(contract.permission))).toEqual([]);
  });

  test('has a route only if somebody outside may call it, and then has one', () => {
    expect(namesOf(({ rest, contract }) => Boolean(rest) && contract === undefined)).toEqual([]);
    expect(namesOf(({ rest, contract }) => Boolean(rest) && contract?.permission === 'internal')).toEqual([]);
    expect(
      namesOf(({ rest, contract }) => !rest && contract !== undefined && contract.permission !== 'internal'),
    ).toEqual(Object.keys(calledInside).sort());
  });

  test('that is public says so, and is known to be', () => {
    const isPublic = namesOf(({ contract }) => contract?.permission === 'public' && contract.answers !== 'html');
    expect(isPublic).toEqual(publicActions);
  });
});
