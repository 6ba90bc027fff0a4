import type { Service, ServiceBroker, ServiceSchema } from 'moleculer';
import { registeredServices } from '../../lib/declarations.ts';
import { releasePrefetched } from '../../lib/quota-allocations.ts';
import { mongo } from '../../mixins/mongo.ts';
import { CustomerModel } from '../../models/context/customer.ts';
import { CustomerErasureModel, ErasingServiceModel } from '../../models/context/customer-erasure.ts';
import { EventModel } from '../../models/context/event.ts';
import { IdentifierModel } from '../../models/context/identifier.ts';
import { PendingEventModel } from '../../models/context/pending-event.ts';
import { RetentionModel } from '../../models/context/retention.ts';
import { migrateFolds } from './carry-over.ts';
import { type Composer, startComposer } from './composer.ts';
import { createEvent } from './create-event.ts';
import { createEvents } from './create-events.ts';
import { eraseCustomer } from './erase-customer.ts';
import { eraseOrganization } from './erase-organization.ts';
import { linkCustomer } from './link-customer.ts';
import { listStoryEvents } from './list-story-events.ts';
import { readContact } from './read-contact.ts';
import { readCustomerStory } from './read-story.ts';
import { resolveStory } from './resolve-story.ts';
import { describeRetention, retention } from './retention.ts';
import { settleQuota } from './settle-quota.ts';

const models = [
  EventModel,
  PendingEventModel,
  IdentifierModel,
  CustomerModel,
  RetentionModel,
  CustomerErasureModel,
  ErasingServiceModel,
];

type Context = Service & { composer?: Composer };

/** Accepts business events and composes each customer's story. */
const context: ServiceSchema = {
  name: 'context',
  metadata: { erases: 'organizations.erase' },
  mixins: [retention(), mongo(...models)],
  actions: {
    'events.create': createEvent,
    'events.create-batch': createEvents,
    'story.read': readCustomerStory,
    'story.resolve': resolveStory,
    'story.events': listStoryEvents,
    'story.erase': eraseCustomer,
    'customers.contact': readContact,
    'customers.link': linkCustomer,
    'retention.describe': describeRetention,
    'organizations.erase': eraseOrganization,
    'quota.settle': settleQuota,
  },
  async started(this: Context) {
    await migrateFolds();
    this.composer = startComposer(this.logger, () => isAlone(this.broker));
  },
  async stopped(this: Context) {
    await this.composer?.stop();
    await releasePrefetched();
  },
};

/** Whether this is the only node of the pool with the service. */
function isAlone(broker: ServiceBroker): boolean {
  return registeredServices(broker).filter(({ name }) => name === context.name).length === 1;
}

export default context;
