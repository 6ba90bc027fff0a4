import type { Row } from './row.ts';

/** Business events and the stories composed of them. */
export const contextRows = {
  'events.create': {
    from: 'Endpoints, Business-context; States',
    route: 'POST /events',
    says: 'POST /events with a valid event answers 201 { eventId, status: accepted }',
  },
  'events.required': { from: 'Event rules', says: 'every one of the eight fields is required: 400 names the missing' },
  'events.types': { from: 'Event rules', says: 'a field of a wrong type is 400 and is named' },
  'events.unknown': { from: 'decisions, Shapes', says: 'an unknown field is 400 and is named' },
  'events.tenant': { from: 'Event rules', says: 'tenantId must equal the x-tenant-id header: 400' },
  'events.repeat': { from: 'Endpoints, Business-context', says: 'an eventId that was sent before is 409' },
  'events.per-tenant': { from: 'Event rules', says: 'an eventId is unique within its organization, not beyond' },
  'events.name': { from: 'decisions, Business context', says: 'eventName has 2 to 6 dotted parts' },
  'events.id': { from: 'decisions, Business context', says: 'eventId is a UUID' },
  'events.time': { from: 'decisions, Business context', says: 'occurredAt is at most 5 minutes ahead' },
  'events.size': { from: 'decisions, Business context', says: 'a body has at most 256 KiB: one byte more is 413' },
  'events.order': {
    from: 'decisions, Business context',
    says: 'refusals come in the order 400 shape, 401, 403, 409',
  },
  'events.permission': { from: 'decisions, System permissions', says: 'sending needs context.events.write: else 403' },
  'events.list': {
    from: 'decision 0004',
    route: 'GET /events',
    says: 'GET /events lists the events of the organization, the last received first, also of one customer',
  },
  'events.read': {
    from: 'decision 0004',
    route: 'GET /events/:eventId',
    says: 'GET /events/:eventId gives an event as it was sent; one of another organization is 404',
  },
  'events.refused': {
    from: 'decision 0004',
    route: 'GET /events/refused',
    says: 'GET /events/refused lists refused events with their reasons and without their content',
  },
  'customers.list': {
    from: 'decision 0050',
    route: 'GET /v1/story/customers',
    says: 'GET /v1/story/customers finds a customer by id, address or the beginning of the name',
  },
  'batch.create': {
    from: 'decisions, Business context',
    route: 'POST /events/batch',
    says: 'POST /events/batch takes up to 500 events and gives each its outcome, in order',
  },
  'batch.partial': {
    from: 'decisions, Business context',
    says: 'one bad or repeated event of a batch spoils no other',
  },
  'batch.bounds': { from: 'decisions, Business context', says: 'a batch of none or of 501 is 400' },

  'story.read': {
    from: 'Endpoints, Business-context',
    route: 'GET /v1/story/customers/:customerId',
    says: 'GET /v1/story/customers/:customerId gives customerId, title, summary, updatedAt',
  },
  'story.unknown': { from: 'Endpoints, Business-context', says: 'there is no story yet for a person: 404' },
  'story.fresh': { from: 'issue 4, part 8', says: 'a read holds every event acknowledged before it' },
  'story.composed': {
    from: 'issue 4, part 8',
    says: 'a title names the person, and a summary has three to six sentences',
  },
  'story.pure': {
    from: 'decisions, Business context',
    says: 'the same events in another order and split give the same story',
  },
  'story.language': {
    from: 'decision 0096',
    says: 'language=de gives the same story in German; without the parameter it is in English; others are 400',
  },
  'story.foreign': { from: 'decisions, Shapes', says: "another organization's customer is 404" },
  'story.permission': { from: 'decisions, System permissions', says: 'reading needs context.story.read: else 403' },
  'resolve.read': {
    from: 'Endpoints, Business-context',
    route: 'GET /v1/story/resolve',
    says: 'GET /v1/story/resolve?q= finds a story by customer id, email or phone number',
  },
  'resolve.normalised': {
    from: 'decisions, Business context',
    says: 'emails are found in any case, phone numbers in any notation with a country code',
  },
  'resolve.unknown': { from: 'decisions, Business context', says: 'unknown is 404, and q is required' },
  'resolve.ambiguous': { from: 'decisions, Business context', says: 'a value that names two people is 404' },
  'customer.actor': {
    from: 'decisions, Business context',
    says: 'the customer is the actor of type customer, contact, visitor or user',
  },
  'customer.payload': {
    from: 'decisions, Business context',
    says: 'else payload.customerId, else payload.customer.id, is the customer',
  },
  'customer.none': {
    from: 'decisions, Business context',
    says: 'an event without a customer is accepted and shows in no story',
  },
  'customer.merged': {
    from: 'decisions, Business context',
    says: 'an email joins two ids: both give the story of the older, which holds the events of both',
  },
  'customer.merge': {
    from: 'decision 0005',
    route: 'POST /v1/story/customers/:customerId/merge',
    says: 'POST /v1/story/customers/:customerId/merge joins two customers: both ids give the story of all their events',
  },
  'customer.merge-refused': {
    from: 'decision 0005',
    says: 'a merge with the same id is 400, with an id without a story 404, and changes nothing; a repeated one is 200',
  },
  'story-events.list': {
    from: 'decisions, Business context',
    route: 'GET /v1/story/customers/:customerId/events',
    says: 'GET /v1/story/customers/:customerId/events gives what a story was made of, in its order, as it was sent',
  },
  'story-events.pages': { from: 'decisions, Shapes', says: 'limit and cursor page through it without gap or repeat' },
  'erasure.delete': {
    from: 'decisions, Business context',
    route: 'DELETE /v1/story/customers/:customerId',
    says: 'DELETE /v1/story/customers/:customerId erases a person: 204, then 404 by every identifier',
  },
  'erasure.ids': { from: 'issue 4, part 8', says: 'the ids of erased events still answer 409' },
  'erasure.again': { from: 'issue 4, part 8', says: 'an erased person who comes back starts a new story' },
} as const satisfies Record<string, Row>;
