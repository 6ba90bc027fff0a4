import type { Service, ServiceBroker, ServiceSchema } from 'moleculer';

type Running = Service & { _serviceSpecification: Parameters<ServiceBroker['registerLocalService']>[0] };
type Registry = { unregisterService: (name: string, nodeID: string) => void };

/**
 * Puts a service on a running node, in the place of the one of that name if there is one, and calls `begin` when it has
 * started. When it does not start it is taken away again, the former keeps running, and the error is thrown.
 */
export async function placeService(
  broker: ServiceBroker,
  schema: ServiceSchema,
  begin: () => void,
): Promise<'added' | 'replaced'> {
  const former = broker.getLocalService(schema.name);
  // createService would start it on its own and only log a failure.
  const next = new broker.ServiceFactory(broker, schema) as Running;
  try {
    await next._start();
  } catch (error) {
    await withdraw(broker, next);
    throw error;
  }
  begin();
  if (!former) return 'added';
  // Between these two lines nothing else runs, so no call finds the service missing.
  (broker.registry as unknown as Registry).unregisterService(former.fullName, broker.nodeID);
  broker.registerLocalService(next._serviceSpecification);
  await withdraw(broker, former);
  return 'replaced';
}

/** Stops a service that is no longer offered and forgets it; its calls in flight are answered first. */
async function withdraw(broker: ServiceBroker, service: Service): Promise<void> {
  await service
    ._stop()
    .catch((error: unknown) => broker.logger.error(`${service.fullName} did not stop in order`, { error }));
  broker.services.splice(broker.services.indexOf(service), 1);
}
