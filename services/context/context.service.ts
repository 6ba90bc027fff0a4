import type { Service, ServiceBroker, ServiceSchema } from 'moleculer';
import { releasePrefetched } from '../../lib/clients/quota-batches.ts';
import { registeredServices } from '../../lib/contract/service-declarations.ts';
import { mongo } from '../../mixins/mongo.ts';
import { CustomerModel } from '../../models/context/customer.ts';
import { CustomerErasureModel, ErasingServiceModel } from '../../models/context/customer-erasure.ts';
import { CustomerMergeModel } from '../../models/context/customer-merge.ts';
import { EventModel } from '../../models/context/event.ts';
import { IdentifierModel } from '../../models/context/identifier.ts';
import { PendingEventModel } from '../../models/context/pending-event.ts';
import { RefusedEventModel } from '../../models/context/refused-event.ts';
import { RetentionModel } from '../../models/context/retention.ts';
import { type Composer, startComposer } from './compose/composer.ts';
import { linkCustomer, readContact } from './customer-contact.ts';
import { listCustomers } from './customer-list.ts';
import { mergeCustomers } from './customer-merges.ts';
import { eraseCustomer, eraseOrganization } from './erasure.actions.ts';
import { listEvents, readStoredEvent } from './events.ts';
import { createEvents } from './ingest/create-event-batch.ts';
import { createEvent } from './ingest/create-events.ts';
import { storeRefusals } from './ingest/refused-events.ts';
import { settleQuota } from './ingest/settle-quota.ts';
import { migrateFolds, startListing } from './migrate.ts';
import { customerPages } from './pages/customer.ts';
import { customersPages } from './pages/customers.ts';
import { eraseCustomerPages } from './pages/erase-customer.ts';
import { eventPages } from './pages/event.ts';
import { eventsPages } from './pages/events.ts';
import { mergeCustomerPages } from './pages/merge-customer.ts';
import { refusedPages } from './pages/refused.ts';
import { listRefusedEvents } from './refused-events.ts';
import { describeRetention, retention } from './retention.ts';
import { listStoryEvents, readCustomerStory, resolveStory } from './stories.ts';

const models = [
  EventModel,
  PendingEventModel,
  RefusedEventModel,
  IdentifierModel,
  CustomerModel,
  RetentionModel,
  CustomerErasureModel,
  ErasingServiceModel,
  CustomerMergeModel,
];

type Context = Service & { composer?: Composer; listing?: Composer };

/** Accepts business events and composes each customer's story. */
const context: ServiceSchema = {
  name: 'context',
  metadata: { erases: 'organizations.erase' },
  mixins: [retention(), mongo(...models)],
  actions: {
    'events.create': createEvent,
    'events.create-batch': createEvents,
    'events.list': listEvents,
    'events.read': readStoredEvent,
    'events.refused': listRefusedEvents,
    'story.customers': listCustomers,
    'story.read': readCustomerStory,
    'story.resolve': resolveStory,
    'story.events': listStoryEvents,
    'story.erase': eraseCustomer,
    'story.merge': mergeCustomers,
    'customers.contact': readContact,
    'customers.link': linkCustomer,
    'retention.describe': describeRetention,
    'organizations.erase': eraseOrganization,
    'quota.settle': settleQuota,
    ...customersPages,
    ...customerPages,
    ...eraseCustomerPages,
    ...mergeCustomerPages,
    ...eventsPages,
    ...eventPages,
    ...refusedPages,
  },
  async started(this: Context) {
    await migrateFolds();
    this.listing = startListing(this.logger);
    this.composer = startComposer(this.logger, () => isAlone(this.broker));
  },
  async stopped(this: Context) {
    await this.listing?.stop();
    await this.composer?.stop();
    await storeRefusals(this.logger);
    await releasePrefetched();
  },
};

/** Whether this is the only node of the pool with the service. */
function isAlone(broker: ServiceBroker): boolean {
  return registeredServices(broker).filter(({ name }) => name === context.name).length === 1;
}

export default context;
