import type { ServiceBroker } from 'moleculer';
import { apiError } from '../../lib/contract/errors.ts';
import {
  type DatabaseOperation,
  databaseOperations,
  hasDatabaseConnection,
  killDatabaseOperation,
} from '../../mixins/mongo-operations.ts';
import type { Output } from './commands.ts';

/** `db:ops`: the operations of the database, a line each: number, seconds, kind, namespace, command. */
export async function listDatabaseOperations(broker: ServiceBroker): Promise<Output> {
  const data = await onConnectedNode<DatabaseOperation[]>(broker, 'database-operations', {}, databaseOperations);
  if (data.length === 0) return { text: 'The database works on nothing that takes long.', data };
  const lines = data.map(
    ({ operation, seconds, kind, namespace, command, options }) =>
      `${operation}  ${seconds} s  ${kind}  ${namespace}  ${command} (${options.join(', ')})`,
  );
  return { text: lines.join('\n'), data };
}

/** `db:kill`: ends an operation of the database. */
export async function endDatabaseOperation(broker: ServiceBroker, operation: string): Promise<string> {
  return await onConnectedNode(broker, 'kill-operation', { operation }, () => killDatabaseOperation(operation));
}

/** Runs the work in this process if it is connected to the database, otherwise on another node. */
async function onConnectedNode<T>(
  broker: ServiceBroker,
  action: string,
  params: object,
  work: () => Promise<T>,
): Promise<T> {
  if (hasDatabaseConnection()) return await work();
  const nodes = broker.registry.nodes.list({ onlyAvailable: true });
  const other = nodes.find(({ id }) => id !== broker.nodeID);
  if (!other) throw apiError('UNAVAILABLE', { message: 'No node is connected to the database.' });
  return await broker.call<T, object>(`node.${action}`, params, { nodeID: other.id });
}
