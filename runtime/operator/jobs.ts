import type { ServiceBroker } from 'moleculer';
import { askNodes } from '../../lib/contract/ask-nodes.ts';
import { type JobState, readJobsOfPool } from '../../mixins/cron/cron.ts';
import { toTable } from './table.ts';

const head = ['NAME', 'LAST DONE', 'NEXT', 'RUNNING ON', 'ATTEMPTS', 'LAST ERROR'];

/** The scheduled work of all services in the pool: a table, and a line for each node that did not answer. */
export async function describeJobsOfPool(broker: ServiceBroker): Promise<{ text: string; data: JobState[] }> {
  const { jobs: data, silent } = await readJobsOfPool(broker);
  const table = data.length === 0 ? ['No node has scheduled work.'] : toTable(head, data.map(toRow));
  return { text: [...table, ...silent.map(({ nodeID, error }) => `${nodeID}: ${error}`)].join('\n'), data };
}

/**
 * Runs scheduled work once now, on this node if it has the schedule, otherwise on another; throws when no node has it.
 */
export async function runJobInPool(broker: ServiceBroker, name: string): Promise<string> {
  const having = (await askNodes<JobState[]>(broker, 'node.jobs')).filter(({ answer }) =>
    answer?.some((job) => job.name === name),
  );
  const { nodeID } = having.find((answer) => answer.nodeID === broker.nodeID) ?? having[0] ?? {};
  if (nodeID === undefined) throw new Error(`No node has scheduled work ${name}; jobs lists what there is.`);
  return await broker.call<string, object>('node.run-job', { name }, { nodeID, timeout: 0 });
}

function toRow({ name, doneUpTo, doneAt, next, runningOn, attempts, lastError }: JobState): string[] {
  return [
    name,
    doneUpTo === null ? 'never' : `${doneUpTo} at ${doneAt}`,
    next ?? 'now',
    runningOn ?? '',
    String(attempts),
    // Truncated to one line of the table. The log has the full text.
    lastError?.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').slice(0, 120) ?? '',
  ];
}
