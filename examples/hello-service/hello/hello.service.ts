import { cron, daily, mongo, type ServiceSchema } from 'platform/service';
import { eraseOrganization, greet, listenToGreetings, listGreetings } from './actions.ts';
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
    'organizations.erase': eraseOrganization,
    'console.count': countGreetings,
  },
};

export default hello;
