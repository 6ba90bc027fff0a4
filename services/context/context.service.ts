import type { Service, ServiceBroker, ServiceSchema } from 'moleculer';
import { releasePrefetched } from '../../lib/clients/quota-batches.ts';
import { registeredServices } from '../../lib/contract/service-declarations.ts';
import { mongo } from '../../mixins/mongo.ts';
import { CustomerModel } from '../../models/context/customer.ts';
import { CustomerErasureModel, ErasingServiceModel } from '../../models/context/customer-erasure.ts';
import { EventModel } from '../../models/context/event.ts';
import { IdentifierModel } from '../../models/context/identifier.ts';
import { PendingEventModel } from '../../models/context/pending-event.ts';
import { RetentionModel } from '../../models/context/retention.ts';
import { type Composer, startComposer } from './compose/composer.ts';
import { linkCustomer, readContact } from './customer-contact.ts';
import { eraseCustomer, eraseOrganization } from './erasure.actions.ts';
import { createEvent, createEvents } from './ingest/create-events.ts';
import { settleQuota } from './ingest/settle-quota.ts';
import { migrateFolds } from './migrate.ts';
import { describeRetention, retention } from './retention.ts';
import { listStoryEvents, readCustomerStory, resolveStory } from './stories.ts';

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
