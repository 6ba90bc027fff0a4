/** The actions of the service by name, for typed calls. Written by `npm run generate`. */
declare module '../../lib/contract/context.ts' {
  interface Calls {
    'context.customers.contact': typeof import('./customer-contact.ts').readContact;
    'context.customers.link': typeof import('./customer-contact.ts').linkCustomer;
    'context.events.create': typeof import('./ingest/create-events.ts').createEvent;
    'context.events.create-batch': typeof import('./ingest/create-event-batch.ts').createEvents;
    'context.events.list': typeof import('./events.ts').listEvents;
    'context.events.read': typeof import('./events.ts').readStoredEvent;
    'context.events.refused': typeof import('./refused-events.ts').listRefusedEvents;
    'context.organizations.erase': typeof import('./erasure.actions.ts').eraseOrganization;
    'context.quota.settle': typeof import('./ingest/settle-quota.ts').settleQuota;
    'context.retention.describe': typeof import('./retention.ts').describeRetention;
    'context.story.customers': typeof import('./customer-list.ts').listCustomers;
    'context.story.erase': typeof import('./erasure.actions.ts').eraseCustomer;
    'context.story.events': typeof import('./stories.ts').listStoryEvents;
    'context.story.merge': typeof import('./customer-merges.ts').mergeCustomers;
    'context.story.read': typeof import('./stories.ts').readCustomerStory;
    'context.story.resolve': typeof import('./stories.ts').resolveStory;
  }
}

export {};
