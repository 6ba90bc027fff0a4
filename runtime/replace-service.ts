import type { Service, ServiceBroker, ServiceSchema } from 'moleculer';

type Running = Service & { _serviceSpecification: Parameters<ServiceBroker['registerLocalService']>[0] };
type Registry = { unregisterService: (name: string, nodeID: string) => void };

/**
 * Starts a service on a running node, replaces a running one of the same name, and calls `begin` when it has started.
 * When the start fails, the service is removed, the former one keeps running, and the error is thrown.
 */
export async function placeService(
  broker: ServiceBroker,
  schema: ServiceSchema,
  begin: () => void,
): Promise<'added' | 'replaced'> {
  const former = broker.getLocalService(schema.name);
  // createService would start it in the background and only log a failure.
  const next = new broker.ServiceFactory(broker, schema) as Running;
  try {
    await next._start();
  } catch (error) {
    await withdraw(broker, next);
    throw error;
  }
  begin();
  if (!former) return 'added';
  // These two lines run in one turn of the event loop, so no call finds the service missing.
  (broker.registry as unknown as Registry).unregisterService(former.fullName, broker.nodeID);
  broker.registerLocalService(next._serviceSpecification);
  await withdraw(broker, former);
  return 'replaced';
}

/** Stops and removes a service that is no longer registered, after its calls in flight were answered. */
async function withdraw(broker: ServiceBroker, service: Service): Promise<void> {
  await service
    ._stop()
    .catch((error: unknown) => broker.logger.error(`${service.fullName} did not stop in order`, { error }));
  broker.services.splice(broker.services.indexOf(service), 1);
}
