import type { BrokerOptions } from 'moleculer';
import { callTimeout } from './lib/calls.ts';
import { ExactSerializer } from './lib/exact-serializer.ts';
import { PlatformLogger } from './lib/logging.ts';
import { settings } from './lib/settings.ts';
import { announcedServices } from './mixins/announced-services.ts';
import { createCacher } from './mixins/cacher.ts';
import { moleculerMiddlewares } from './mixins/moleculer-middlewares.ts';
import { natsCircuitBreaker, natsTransporter, pendingRequestMap } from './mixins/nats.ts';
import { poolMembership } from './mixins/pool-membership.ts';
import { retryLostCalls } from './mixins/retry-lost-calls.ts';
import { coalesceNatsWrites } from './mixins/send-together.ts';
import { callMetrics } from './mixins/served-calls.ts';

/** Moleculer's options where they differ from its defaults; new ones each time, because a broker writes into its own. */
export default function brokerOptions(): BrokerOptions {
  return {
    namespace: settings.NAMESPACE,
    nodeID: settings.NODE_ID,
    logger: new PlatformLogger({ level: settings.LOG_LEVEL, format: settings.LOG_FORMAT }),
    transporter: settings.NATS_URL && natsTransporter(settings.NATS_URL),
    serializer: new ExactSerializer(),
    cacher: createCacher(settings),
    requestTimeout: callTimeout,
    heartbeatInterval: 2,
    heartbeatTimeout: 6,
    // Without it a node that stops rejects the calls it still works on.
    tracking: { enabled: true, shutdownTimeout: callTimeout },
    // How long a node that leaves still takes what others sent before they heard of it.
    registry: { stopDelay: 300 },
    // A service that comes or goes is known to the pool at once, and start does not wait for the next second.
    transit: { serviceChangedDebounceTime: 100 } as BrokerOptions['transit'],
    dependencyInterval: 50,
    // Refusals and a lost database do not reach it: they are the same on any node.
    circuitBreaker: { enabled: true, halfOpenTime: 2000, check: () => true },
    // A node that stops refuses what it has not begun; another one takes it. Nothing that was begun is repeated.
    retryPolicy: { enabled: true, check: (error) => 'type' in error && error.type === 'SERVICE_NOT_AVAILABLE' },
    // Contracts parse what comes in; Moleculer's own validator has nothing to check.
    validator: false,
    // Replaced by `moleculerMiddlewares`, which spare calls on this node most of them.
    internalMiddlewares: false,
    middlewares: [
      natsCircuitBreaker(),
      coalesceNatsWrites(),
      pendingRequestMap(),
      ...(settings.NATS_URL ? [poolMembership()] : []),
      callMetrics(callTimeout),
      announcedServices(),
      ...moleculerMiddlewares(),
      // Around all others, so that the second try has its own timeout and circuit.
      retryLostCalls(),
    ],
    // The runtime drains before it stops the broker.
    skipProcessEventRegistration: true,
  };
}
