import type { BrokerOptions } from 'moleculer';
import { callTimeout } from './lib/contract/context.ts';
import { ExactSerializer } from './lib/data/exact-serializer.ts';
import { PlatformLogger } from './lib/log/logging.ts';
import { settings } from './lib/settings/settings.ts';
import { announcedServices, wrappedRegistrations } from './mixins/announced-services.ts';
import { callMetrics, moleculerMiddlewares } from './mixins/broker-middlewares.ts';
import { createCacher } from './mixins/cacher.ts';
import { coalesceNatsWrites, natsCircuitBreaker, natsTransporter } from './mixins/nats.ts';
import { poolMembership } from './mixins/pool-membership.ts';
import { retryLostCalls } from './mixins/retry-lost-calls.ts';

/** Moleculer's options where they differ from its defaults; a new object each time, because a broker modifies it. */
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
    // Without it a stopping node rejects the calls in flight.
    tracking: { enabled: true, shutdownTimeout: callTimeout },
    // How long a leaving node still accepts messages that others sent before they knew of it.
    registry: { stopDelay: 300 },
    // A started or stopped service is announced to the pool quickly, so that a start does not wait for the default
    // second.
    transit: { serviceChangedDebounceTime: 100 } as BrokerOptions['transit'],
    dependencyInterval: 50,
    // Errors below 500 and a lost database do not count: they are the same on any node.
    circuitBreaker: { enabled: true, halfOpenTime: 2000, check: () => true },
    // A stopping node rejects calls that it has not begun; another one serves them. A call that was begun is never
    // repeated.
    retryPolicy: { enabled: true, check: (error) => 'type' in error && error.type === 'SERVICE_NOT_AVAILABLE' },
    // Contracts parse the input, so Moleculer's validator is not needed.
    validator: false,
    // Replaced by `moleculerMiddlewares`, which skips most of them for local calls.
    internalMiddlewares: false,
    middlewares: [
      natsCircuitBreaker(),
      coalesceNatsWrites(),
      ...(settings.NATS_URL ? [poolMembership()] : []),
      callMetrics(callTimeout),
      announcedServices(),
      wrappedRegistrations(),
      ...moleculerMiddlewares(),
      // Outermost, so that the retry has a separate timeout and circuit.
      retryLostCalls(),
    ],
    // The runtime drains before it stops the broker.
    skipProcessEventRegistration: true,
  };
}
