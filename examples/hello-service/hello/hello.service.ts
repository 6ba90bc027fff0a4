import { cron, daily, drainQuotaCommits, mongo, type ServiceSchema } from 'platform/service';
import { eraseOrganization, greet, listenToGreetings, listGreetings, settleQuota } from './actions.ts';
import { putCard, readCard } from './card.ts';
import { GreetingModel } from './greeting.ts';
import { countGreetings } from './operator.ts';
import { pages } from './pages.ts';
import { removeOldGreetings } from './retention.ts';

/** Greets a person and stores the greeting. The file name is the service name and the namespace of its permissions. */
const hello: ServiceSchema = {
  name: 'hello',
  metadata: {
    permissions: {
      'hello.greet': { reads: false, description: 'Greet people' },
      'hello.read': { reads: true, description: 'Read who was greeted' },
    },
    // The limits of each plan, in the namespace of the service's name. Billing counts the units of a meter.
    meters: {
      'hello.greetingsPerDay': { kind: 'day', name: 'greetings', limits: { free: 100, pro: 1000, scale: 10_000 } },
    },
    limits: {
      'hello.greetings': { name: 'stored greetings', limits: { free: 1000, pro: 10_000, scale: 100_000 } },
    },
    erases: 'organizations.erase',
  },
  mixins: [cron({ name: 'hello.retention', period: daily, run: removeOldGreetings }), mongo(GreetingModel)],
  actions: {
    greet,
    list: listGreetings,
    events: listenToGreetings,
    'card.put': putCard,
    'card.read': readCard,
    ...pages,
    'quota.settle': settleQuota,
    'organizations.erase': eraseOrganization,
    'console.count': countGreetings,
  },
  stopped: drainQuotaCommits,
};

export default hello;
